"""The other side of meshio_gmsh.rs: reads or writes files with meshio and gmsh, prints JSON."""

import json
import sys
from pathlib import Path

import gmsh
import meshio
import numpy as np


def read_with_meshio(path):
    mesh = meshio.read(path)
    return {
        "points": mesh.points.tolist(),
        "tets": mesh.cells_dict["tetra"].tolist(),
        "point_data": {k: np.asarray(v).tolist() for k, v in mesh.point_data.items()},
        "cell_data": {
            k: np.concatenate([np.asarray(block) for block in v]).tolist()
            for k, v in mesh.cell_data.items()
        },
        "field_data": {k: np.asarray(v).tolist() for k, v in mesh.field_data.items()},
    }


def start_gmsh():
    gmsh.initialize()
    gmsh.option.setNumber("General.Verbosity", 1)


def read_with_gmsh(path):
    start_gmsh()
    gmsh.open(str(path))
    tags, points, _ = gmsh.model.mesh.getNodes()
    order = np.argsort(tags)
    elements, nodes = gmsh.model.mesh.getElementsByType(4)
    data = {}
    for view in gmsh.view.getTags():
        kind, numbers, values, _, _ = gmsh.view.getModelData(view, 0)
        name = gmsh.view.option.getString(view, "Name")
        order_of_view = np.argsort(numbers)
        data[kind + " " + name] = [list(values[k]) for k in order_of_view]
    groups = {}
    for dimension, group in gmsh.model.getPhysicalGroups():
        name = gmsh.model.getPhysicalName(dimension, group)
        inside = []
        for entity in gmsh.model.getEntitiesForPhysicalGroup(dimension, group):
            inside += gmsh.model.mesh.getElementsByType(4, entity)[0].tolist()
        groups[name] = sorted(int(element) - 1 for element in inside)
    by_number = np.argsort(elements)
    result = {
        "points": points.reshape(-1, 3)[order].tolist(),
        "tets": (nodes.reshape(-1, 4)[by_number] - 1).tolist(),
        "volume": float(np.sum(gmsh.model.mesh.getElementQualities(elements, "volume"))),
        "data": data,
        "groups": groups,
    }
    gmsh.finalize()
    return result


def write_with_gmsh(folder):
    """Two boxes side by side, in all variants of the format, and what is true of each file."""
    truths = {}
    for order in (1, 2):
        start_gmsh()
        left = gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
        right = gmsh.model.occ.addBox(1, 0, 0, 0.5, 1, 1)
        alone = gmsh.model.occ.addBox(5, 0, 0, 1, 1, 1)
        gmsh.model.occ.fragment([(3, left)], [(3, right), (3, alone)])
        gmsh.model.occ.synchronize()
        gmsh.model.addPhysicalGroup(3, [left], 7, "left box")
        gmsh.model.addPhysicalGroup(3, [right], 9)
        gmsh.model.addPhysicalGroup(3, [left], 11, "left again")
        gmsh.model.addPhysicalGroup(2, [1, 2], 7, "a side")
        gmsh.option.setNumber("Mesh.MeshSizeMax", 0.4)
        gmsh.model.mesh.generate(3)
        gmsh.model.mesh.setOrder(order)
        for save_all in (0, 1):
            gmsh.option.setNumber("Mesh.SaveAll", save_all)
            volumes = {left: "left box", right: "group 9"}
            if save_all:
                volumes[alone] = "ungrouped"
            kind = 4 if order == 1 else 11
            counts, tags = {}, []
            for entity, name in volumes.items():
                inside = gmsh.model.mesh.getElementsByType(kind, entity)[0]
                counts[name] = len(inside)
                tags += inside.tolist()
            volume = float(np.sum(gmsh.model.mesh.getElementQualities(tags, "volume")))
            for version in (2.2, 4.1):
                for binary in (0, 1):
                    gmsh.option.setNumber("Mesh.MshFileVersion", version)
                    gmsh.option.setNumber("Mesh.Binary", binary)
                    # Parametric coordinates stand beside the others and must be skipped.
                    parametric = version == 4.1 and order == 2
                    gmsh.option.setNumber("Mesh.SaveParametric", int(parametric))
                    name = f"gmsh-{version}-{binary}-order{order}-all{save_all}.msh"
                    gmsh.write(str(folder / name))
                    # Version 2.2 has no room for entities: with all saved, groups are lost.
                    known = None if version == 2.2 and save_all else counts
                    truths[name] = {"tets": len(tags), "volume": volume, "groups": known}
        gmsh.finalize()
    return truths


def write_views_with_gmsh(folder):
    """A box with a scalar at nodes and a vector at tetrahedra."""
    truths = {}
    for version in (2.2, 4.1):
        for binary in (0, 1):
            start_gmsh()
            gmsh.model.add("box")
            gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
            gmsh.model.occ.synchronize()
            gmsh.option.setNumber("Mesh.MeshSizeMax", 0.5)
            gmsh.model.mesh.generate(3)
            gmsh.option.setNumber("Mesh.MshFileVersion", version)
            gmsh.option.setNumber("Mesh.Binary", binary)
            gmsh.option.setNumber("PostProcessing.Binary", binary)
            gmsh.option.setNumber("PostProcessing.SaveMesh", 0)
            tags, points, _ = gmsh.model.mesh.getNodes()
            points = points.reshape(-1, 3)
            heat = gmsh.view.add("heat")
            values = [[float(x + 2 * y + 4 * z)] for x, y, z in points]
            gmsh.view.addModelData(heat, 0, "box", "NodeData", tags, values)
            elements, nodes = gmsh.model.mesh.getElementsByType(4)
            index = {int(tag): k for k, tag in enumerate(tags)}
            corners = [[index[int(n)] for n in tet] for tet in nodes.reshape(-1, 4)]
            centres = [points[tet].mean(axis=0).tolist() for tet in corners]
            flow = gmsh.view.add("flow")
            gmsh.view.addModelData(flow, 0, "box", "ElementData", elements, centres)
            name = f"views-{version}-{binary}.msh"
            gmsh.write(str(folder / name))
            gmsh.view.write(heat, str(folder / name), True)
            gmsh.view.write(flow, str(folder / name), True)
            truths[name] = {"tets": len(corners), "points": len(points)}
            gmsh.finalize()
    return truths


def write_with_meshio(folder):
    """A few tetrahedra and triangles with data, in all formats and variants."""
    # meshio writes the repr of numbers into ASCII views; numpy 2 would say `np.float64(1.0)`.
    np.set_printoptions(legacy="1.25")
    rng = np.random.default_rng(3)
    points = rng.normal(size=(40, 3))
    tets = np.array([rng.permutation(40)[:4] for _ in range(70)])
    triangles = np.array([rng.permutation(40)[:3] for _ in range(9)])
    heat = rng.normal(size=40)
    flow = rng.normal(size=(40, 3))
    load = rng.normal(size=(79, 3))
    ident = np.arange(79) * 3
    mixed = meshio.Mesh(
        points,
        [("triangle", triangles), ("tetra", tets)],
        point_data={"heat": heat, "flow": flow},
        cell_data={"load": [load[:9], load[9:]], "ident": [ident[:9], ident[9:]]},
    )
    for version in ("4.2", "5.1"):
        for binary in (False, True):
            name = f"meshio-{version}-{int(binary)}.vtk"
            meshio.vtk.write(folder / name, mixed, fmt_version=version, binary=binary)
    meshio.vtu.write(folder / "meshio-ascii.vtu", mixed, binary=False)
    meshio.vtu.write(folder / "meshio-binary.vtu", mixed, compression=None)
    meshio.vtu.write(folder / "meshio-zlib.vtu", mixed, compression="zlib")
    for binary in (False, True):
        name = f"meshio-2.2-{int(binary)}.msh"
        meshio.gmsh.write(folder / name, mixed, fmt_version="2.2", binary=binary)
    # With version 4.1, meshio writes one kind of cells only, unless told of entities.
    solid = meshio.Mesh(
        points,
        [("tetra", tets)],
        point_data=mixed.point_data,
        cell_data={"load": [load[9:]], "ident": [ident[9:]]},
    )
    for binary in (False, True):
        name = f"meshio-4.1-{int(binary)}.msh"
        meshio.gmsh.write(folder / name, solid, fmt_version="4.1", binary=binary)
    plain = meshio.Mesh(
        points,
        [("tetra", tets)],
        point_data={"heat": heat, "marker:ref": np.arange(40)},
        cell_data={"region:ref": [ident[9:]]},
    )
    meshio.tetgen.write(folder / "meshio.node", plain)
    return {
        "points": points.tolist(),
        "tets": tets.tolist(),
        "heat": heat.tolist(),
        "flow": flow.tolist(),
        "load": load[9:].tolist(),
        "ident": ident[9:].tolist(),
    }


def exact(value):
    """The same with floats as text: not every reader of JSON rounds them correctly."""
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    return value


if __name__ == "__main__":
    task, path = sys.argv[1], Path(sys.argv[2])
    # Both libraries print to the standard output; the last line is the answer.
    print("\n" + json.dumps(exact(globals()[task](path))))
