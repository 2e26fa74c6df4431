//! `./setup` on machines that lack this or that: a PATH of stand-ins for the package manager, `sudo`, `cc`, `rustc`
//! and `ldconfig` says what is installed and writes down what was run. `tests/empty-debian` is the real thing.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../setup");
const APT: &str = "sudo apt-get update; sudo apt-get install -y --no-install-recommends";

/// What windows open with.
const WINDOWS: [&str; 6] = [
    "libX11.so.6",
    "libX11-xcb.so.1",
    "libXcursor.so.1",
    "libXi.so.6",
    "libXrandr.so.2",
    "libxkbcommon-x11.so.0",
];

/// Held while a stand-in is written and while a process starts: a process that starts holds for a moment
/// all files its parent has open, and a program open for writing cannot be run ("text file busy").
static STARTING: Mutex<()> = Mutex::new(());

/// A folder that plays a machine: `bin/` is its PATH, `log` what was run on it.
struct Machine(PathBuf);

impl Machine {
    /// A Debian with Rust, linker, loader and driver, used by somebody who is not root.
    fn complete(name: &str) -> Self {
        let machine = Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("setup-{name}")));
        let _ = fs::remove_dir_all(&machine.0);
        fs::create_dir_all(machine.path("bin")).unwrap();
        for tool in ["bash", "dirname", "mktemp", "rm", "uname"] {
            symlink(real(tool).unwrap(), machine.path("bin").join(tool)).unwrap();
        }
        machine.tool("cargo", "exit 0");
        machine.tool("rustc", "echo 'rustc 1.999.0 (stand-in)'");
        machine.tool("id", "echo 1000");
        machine.tool("sudo", "echo \"sudo $*\" >>\"$LOG\"; exec \"$@\"");
        machine.tool("cc", "exit 0");
        machine.tool("ldconfig", "while read -r line; do echo \"\t$line\"; done <\"$LIBRARIES\"");
        machine.tool("Xvfb", "exit 0");
        machine.libraries(&["libvulkan.so.1"]);
        machine.write("libdriver.so", "");
        machine.driver(machine.path("libdriver.so").to_str().unwrap());
        // it brings everything, whatever it is asked for
        machine.tool(
            "apt-get",
            "echo \"apt-get $*\" >>\"$LOG\"; [ \"$1\" = install ] || exit 0
             echo 'libvulkan.so.1 (libc6,x86-64) => /x' >>\"$LIBRARIES\"
             echo '{\"ICD\":{\"library_path\":\"./libdriver.so\"}}' >\"$VK_DRIVER_FILES\"
             cd \"${0%/*}\" && echo '#!/bin/sh' >cc && /bin/chmod +x cc",
        );
        machine
    }

    /// The same without linker, loader and driver.
    fn bare(name: &str) -> Self {
        let machine = Self::complete(name);
        machine.without("bin/cc").without("driver.json").libraries(&[]);
        machine
    }

    /// Has these, and those of windows.
    fn libraries(&self, names: &[&str]) {
        let line = |name: &&str| format!("{name} (libc6,x86-64) => /usr/lib/{name}\n");
        self.write("libraries", &names.iter().chain(&WINDOWS).map(line).collect::<String>());
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.join(file)
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.path(file), text).unwrap();
    }

    fn without(&self, file: &str) -> &Self {
        fs::remove_file(self.path(file)).unwrap();
        self
    }

    fn tool(&self, name: &str, body: &str) {
        let path = self.path("bin").join(name);
        let _guard = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }

    fn driver(&self, library: &str) {
        self.write(
            "driver.json",
            &format!("{{ \"ICD\": {{\n  \"library_path\" : \"{library}\" }} }}"),
        );
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().stdin(Stdio::null());
        command
            .env("PATH", self.path("bin"))
            .env("HOME", self.path("home"))
            .env("SHELL", "/bin/sh");
        command.env("VK_DRIVER_FILES", self.path("driver.json"));
        command.env("LOG", self.path("log")).env("LIBRARIES", self.path("libraries"));
        command
    }

    fn setup(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(&self.path("bin/bash"));
        command.arg(SCRIPT).args(arguments);
        command
    }

    /// What was run on it, in order.
    fn log(&self) -> Vec<String> {
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Runs `./setup`, which must end with this code, have said all of `words`, and have run nothing.
    fn says(&self, arguments: &[&str], code: i32, words: &[&str]) -> String {
        let said = ends(&mut self.setup(arguments), code);
        for word in words {
            assert!(said.contains(word), "{word:?} is not in:\n{said}");
        }
        assert!(self.log().is_empty(), "it ran {:?}", self.log());
        said
    }
}

/// The path of a program of this machine.
fn real(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(tool)).find(|file| file.is_file())
}

/// Runs a command, which must end with this code; gives back all it said.
fn ends(command: &mut Command, code: i32) -> String {
    let child = {
        let _guard = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let said = String::from_utf8([stdout, stderr].concat()).unwrap();
    assert_eq!(status.code(), Some(code), "it said:\n{said}");
    said
}

#[test]
fn a_complete_machine_hears_nothing() {
    let said = Machine::complete("complete").says(&[], 0, &[]);
    assert_eq!(said, "");
}

#[test]
fn each_missing_thing_is_named_with_its_package_and_no_other() {
    let linker = ("a C linker", "gcc libc6-dev");
    let loader = ("the Vulkan loader", "libvulkan1");
    let driver = ("a Vulkan driver", "mesa-vulkan-drivers");

    let machine = Machine::complete("no-linker");
    machine.without("bin/cc");
    machine.says(&[], 1, &[&format!("missing: {}", linker.0), &format!("{APT} {}\n", linker.1)]);
    machine.tool("cc", "exit 1"); // there, but without the files of the C library
    machine.says(&[], 1, &[&format!("missing: {}", linker.0), &format!("{APT} {}\n", linker.1)]);

    let machine = Machine::complete("no-loader");
    machine.libraries(&["libnotvulkan.so.1", "libvulkan.so.10"]);
    machine.says(&[], 1, &[&format!("missing: {}", loader.0), &format!("{APT} {}\n", loader.1)]);

    let machine = Machine::complete("no-driver");
    machine.without("driver.json");
    machine.says(&[], 1, &[&format!("missing: {}", driver.0), &format!("{APT} {}\n", driver.1)]);

    let machine = Machine::complete("no-windows");
    machine.write("libraries", "libvulkan.so.1 (libc6) => /x\nlibX11.so.6 (libc6) => /x\n");
    let packages = "libx11-6 libx11-xcb1 libxcursor1 libxi6 libxrandr2 libxkbcommon-x11-0";
    machine.says(&[], 1, &["windows open with (of X11: libX11-xcb.so.1)", packages]);

    let machine = Machine::complete("no-screen");
    machine.without("bin/Xvfb");
    machine.says(&[], 1, &["missing: a screen", "(Xvfb)", &format!("{APT} xvfb\n")]);

    let said = Machine::bare("bare").says(&[], 1, &[linker.0, loader.0, driver.0, "no terminal"]);
    assert!(
        said.contains(&format!("run: {APT} {} {} {}\n", linker.1, loader.1, driver.1)),
        "{said}"
    );
    assert_eq!(said.lines().count(), 4, "a line per thing, and one on what to do:\n{said}");
}

/// A driver file counts only with its library, which it may name in the three ways the Vulkan loader knows.
#[test]
fn a_driver_is_a_file_whose_library_is_there() {
    let machine = Machine::complete("driver");
    let refused = |library: &str| {
        machine.driver(library);
        machine.says(&[], 1, &["missing: a Vulkan driver"]);
    };
    refused("/no/such/libdriver.so");
    machine.says(
        &[],
        1,
        &["VK_DRIVER_FILES", "allows only", machine.path("driver.json").to_str().unwrap()],
    );
    refused("./libgone.so");
    refused("libdriver.so"); // beside the file, where the dynamic linker does not look

    machine.driver("./libdriver.so");
    machine.says(&[], 0, &[]);
    machine.driver("libdriver.so");
    let folder = machine.0.to_str().unwrap();
    ends(machine.setup(&[]).env("LD_LIBRARY_PATH", format!("/no/such:{folder}")), 0);
    machine.libraries(&["libvulkan.so.1", "libdriver.so"]);
    machine.says(&[], 0, &[]);

    let list = format!("/no/such.json:{folder}");
    ends(machine.setup(&[]).env("VK_DRIVER_FILES", &list), 0);
    ends(machine.setup(&[]).env_remove("VK_DRIVER_FILES").env("VK_ICD_FILENAMES", &list), 0);
    // what is listed replaces what the system has
    ends(machine.setup(&[]).env_remove("VK_DRIVER_FILES").env("VK_ICD_FILENAMES", "/no/such"), 1);
    fs::create_dir_all(machine.path("data/vulkan/icd.d")).unwrap();
    fs::copy(machine.path("driver.json"), machine.path("data/vulkan/icd.d/a.json")).unwrap();
    let data = format!("/no/such:{folder}/data");
    ends(machine.setup(&[]).env_remove("VK_DRIVER_FILES").env("XDG_DATA_DIRS", data), 0);
}

#[test]
fn yes_and_ci_install_without_a_question() {
    let packages = "gcc libc6-dev libvulkan1 mesa-vulkan-drivers";
    let install = format!("apt-get install -y --no-install-recommends {packages}");
    let with_sudo =
        ["sudo apt-get update", "apt-get update", &format!("sudo {install}"), install.as_str()];

    let machine = Machine::bare("yes");
    let said = ends(&mut machine.setup(&["--yes"]), 0);
    assert!(said.contains(&format!("running: {APT} {packages}\n")), "{said}");
    assert_eq!(machine.log(), with_sudo);
    machine.without("log").says(&["--yes"], 0, &[]);

    let machine = Machine::bare("ci");
    ends(machine.setup(&[]).env("CI", "true"), 0);
    assert_eq!(machine.log(), with_sudo);

    let machine = Machine::bare("root");
    machine.tool("id", "echo 0");
    ends(&mut machine.setup(&[]), 0);
    assert_eq!(machine.log(), ["apt-get update", install.as_str()]);
}

#[test]
fn on_a_terminal_it_asks_before_sudo() {
    let Some(terminal) = real("script") else {
        return eprintln!("skipped: there is no `script` to play a terminal");
    };
    let answer = |machine: &Machine, line: &str, code: i32| {
        machine.write("answer", line);
        let mut command = machine.command(&terminal);
        command.stdin(fs::File::open(machine.path("answer")).unwrap());
        command.args([
            "--quiet",
            "--return",
            "--command",
            &format!("bash '{SCRIPT}'"),
            "/dev/null",
        ]);
        ends(&mut command, code)
    };
    for (name, line) in [("n", "n\n"), ("enter", "\n"), ("word", "what?\n")] {
        let machine = Machine::bare(name);
        let said = answer(&machine, line, 1);
        assert!(said.contains("[y/N]"), "{said}");
        assert!(said.contains(&format!("by hand, run: {APT} gcc")), "{said}");
        assert!(machine.log().is_empty(), "{line:?} ran {:?}", machine.log());
    }
    for (name, line) in [("y", "y\n"), ("Yes", "Yes\n")] {
        let machine = Machine::bare(name);
        let said = answer(&machine, line, 0);
        assert!(said.find(APT) < said.find("[y/N]"), "shown before it is asked:\n{said}");
        assert_eq!(machine.log().len(), 4, "{:?}", machine.log());
    }
}

#[test]
fn an_installation_that_fails_or_brings_nothing_is_told() {
    let machine = Machine::bare("fails");
    machine.tool("apt-get", "exit 100");
    assert!(ends(&mut machine.setup(&["--yes"]), 1).contains("that failed"));
    machine.tool("apt-get", "exit 0");
    let said = ends(&mut machine.setup(&["--yes"]), 1);
    assert!(said.ends_with("still missing after the installation\n"), "{said}");

    // a list of packages that cannot be fetched is no reason not to try
    let machine = Machine::bare("offline-list");
    machine.tool("sudo", "if [ \"$2\" = update ]; then exit 100; fi; exec \"$@\"");
    ends(&mut machine.setup(&["--yes"]), 0);
}

#[test]
fn other_systems_get_their_own_packages_or_the_list() {
    let machine = Machine::bare("other");
    machine.without("bin/apt-get");
    let said =
        machine.says(&[], 1, &["C linker", "libvulkan.so.1", "lavapipe", "not known to ./setup"]);
    assert!(!said.contains("sudo"), "{said}");
    machine.says(&["--yes"], 1, &["not known to ./setup"]);

    machine.tool("pacman", "exit 1");
    machine.says(
        &[],
        1,
        &["sudo pacman -S --needed --noconfirm gcc vulkan-icd-loader vulkan-swrast\n"],
    );
    machine.tool("dnf", "exit 1");
    machine.says(&[], 1, &["sudo dnf install -y gcc vulkan-loader mesa-vulkan-drivers\n"]);
    machine.without("bin/sudo");
    machine.says(&["--yes"], 1, &["no sudo", "as root: dnf install"]);
}

#[test]
fn rust_that_is_missing_hidden_or_old_is_told() {
    let machine = Machine::complete("rust");
    machine.says(&["--yse"], 2, &["usage: ./setup [--yes]"]);
    machine.tool("rustc", "echo 'rustc 1.94.1 (stand-in)'");
    machine.says(&[], 1, &["1.95 or later", "rustc 1.94.1", "rustup update stable"]);
    machine.tool("rustc", "exit 1");
    machine.says(&[], 1, &["rustup default stable"]);
    machine.tool("rustc", "echo 'rustc 2.0.0-nightly (stand-in)'");
    machine.says(&[], 0, &[]);

    fs::create_dir_all(machine.path("home/.cargo/bin")).unwrap();
    fs::rename(machine.path("bin/cargo"), machine.path("home/.cargo/bin/cargo")).unwrap();
    machine.says(&[], 1, &["not in PATH", "/home/.cargo/bin:$PATH"]);
    machine.without("home/.cargo/bin/cargo").says(&[], 1, &["https://rustup.rs"]);
}
