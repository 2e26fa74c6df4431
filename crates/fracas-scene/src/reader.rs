//! Reads tables as the format describes them, and says what is wrong with them.
//!
//! Every getter returns something usable also when the file is wrong (the default, or nothing),
//! so that reading goes on; in the end the problem that stands first in the file is reported.

use std::cell::RefCell;

use toml::Spanned;
use toml::de::{DeArray, DeFloat, DeInteger, DeTable, DeValue};

use crate::assets::Assets;
use crate::error::{Diagnostic, Problem, SceneError, Source};
use crate::format::{self, Absent, Field, OneOf, Range, Table, Value};
use crate::meshes::Files;
use crate::nearest::nearest;

/// A place in the file, in bytes.
pub(crate) type Span = std::ops::Range<usize>;

/// The file being read and the first problem found in it.
pub(crate) struct Context<'a> {
    pub source: Source,
    /// Where the files that it names come from.
    pub files: Files<'a>,
    first: RefCell<Option<Diagnostic>>,
    warnings: RefCell<Vec<Diagnostic>>,
}

impl<'a> Context<'a> {
    pub fn new(source: Source, assets: &'a dyn Assets) -> Self {
        let files = Files::new(assets);
        Self { source, files, first: RefCell::default(), warnings: RefCell::default() }
    }

    /// Keeps the error if it stands before those reported so far.
    pub fn report(&self, error: Diagnostic) {
        let mut first = self.first.borrow_mut();
        if first.as_ref().is_none_or(|first| error.start() < first.start()) {
            *first = Some(error);
        }
    }

    /// Whether an error here would stand before those reported so far; spares the work of
    /// wording one that nobody reads.
    pub fn would_be_first(&self, span: &Span) -> bool {
        self.first.borrow().as_ref().is_none_or(|first| span.start < first.start())
    }

    pub fn error(&self, problem: Problem, span: Span, message: String) -> Diagnostic {
        self.source.error(problem, span, message)
    }

    pub fn warn(&self, warning: Diagnostic) {
        self.warnings.borrow_mut().push(warning.warning());
    }

    /// The first error in the file, else the warnings in the order of the file.
    pub fn finish(self) -> Result<Vec<Diagnostic>, SceneError> {
        if let Some(first) = self.first.into_inner() {
            return Err(first.into());
        }
        let mut warnings = self.warnings.into_inner();
        warnings.sort_by_key(Diagnostic::start);
        Ok(warnings)
    }

    /// "`"steel"` is not a material of this scene", with what was probably meant.
    pub fn unknown_name<'n>(
        &self,
        span: Span,
        message: String,
        name: &str,
        known: impl IntoIterator<Item = &'n str> + Clone,
        all: &str,
    ) -> Diagnostic {
        let error = self.error(Problem::UnknownName, span, message);
        let near = nearest(name, known.clone());
        let mut names: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
        let list = match names.len() {
            0 => format!("{all}: none"),
            1..=24 => format!("{all}: {}", names.join(", ")),
            more => {
                names.truncate(24);
                format!("{all}: {} and {} more", names.join(", "), more - 24)
            }
        };
        match near {
            Some(near) => error.label(format!("did you mean `{near}`?")),
            None => error,
        }
        .help(list)
    }
}

/// A table of the file, read as a [`Table`] of the format.
pub(crate) struct Reader<'a> {
    pub context: &'a Context<'a>,
    /// In messages: "body `bar`".
    pub name: String,
    /// The header of the table, or the whole of it if it is written on one line.
    pub span: Span,
    table: &'static Table,
    values: &'a DeTable<'a>,
    /// Fields asked for so far; all of them must be in the end, or the format promises
    /// something that is not read.
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Reader<'a> {
    /// Reports fields that do not exist, else fields that are missing: a field that does not
    /// exist is often one that is missing, misspelt.
    pub fn new(
        context: &'a Context<'a>,
        table: &'static Table,
        name: String,
        values: &'a DeTable<'a>,
        span: Span,
    ) -> Self {
        let reader = Self { context, name, span, table, values, asked: RefCell::default() };
        let allowed = reader.allowed();
        for key in reader.unknown_keys(&allowed) {
            if context.would_be_first(&key.span()) {
                context.report(reader.unknown_field(key, &allowed));
            }
        }
        for field in table.fields {
            if matches!(field.absent, Absent::Refused) && !values.contains_key(field.name) {
                reader.report_missing(reader.missing(field));
            }
        }
        reader
    }

    /// Reads a table whose fields depend on its `kind`.
    pub fn by_kind(
        context: &'a Context<'a>,
        kinds: &'static OneOf,
        name: String,
        values: &'a DeTable<'a>,
        span: Span,
    ) -> Option<Self> {
        let names = || kinds.tables.iter().map(|table| table.kind);
        let Some((key, value)) = values.get_key_value("kind") else {
            let near = values.keys().find(|key| nearest(key.get_ref(), ["kind"]).is_some());
            let error = match near {
                Some(key) => {
                    let message = format!("{name} has no field `{}`", short(key.get_ref()));
                    let error = context.error(Problem::UnknownField, key.span(), message);
                    error.label("did you mean `kind`?")
                }
                None => {
                    let message = format!("{name} has no `kind`");
                    context.error(Problem::MissingField, span, message)
                }
            };
            context.report(error.help(format!("`kind` is {}", format::one_of(names()))));
            return None;
        };
        let Some(kind) = value.get_ref().as_str() else {
            context.report(wrong_type(
                context,
                "kind",
                &format::one_of(names()),
                value,
                key.span().start,
            ));
            return None;
        };
        let Some(table) = kinds.tables.iter().find(|table| table.kind == kind) else {
            let message = format!("there is no kind {kind:?} of {}", kinds.what);
            let all = "the kinds that exist";
            context.report(context.unknown_name(value.span(), message, kind, names(), all));
            return None;
        };
        Some(Self::new(context, table, name, values, span))
    }

    fn allowed(&self) -> Vec<&'static str> {
        let kind = (!self.table.kind.is_empty()).then_some("kind");
        kind.into_iter().chain(self.table.fields.iter().map(|field| field.name)).collect()
    }

    fn unknown_keys(
        &self,
        allowed: &[&'static str],
    ) -> impl Iterator<Item = &'a Spanned<std::borrow::Cow<'a, str>>> {
        self.values.keys().filter(|key| !allowed.contains(&key.get_ref().as_ref()))
    }

    /// Reports that something is missing, unless a field that does not exist explains it.
    pub fn report_missing(&self, error: Diagnostic) {
        if self.unknown_keys(&self.allowed()).next().is_none() {
            self.context.report(error);
        }
    }

    fn unknown_field(
        &self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        allowed: &[&'static str],
    ) -> Diagnostic {
        let name = key.get_ref();
        let what = if self.table.kind.is_empty() { &self.name } else { self.table.name };
        let message = format!("{what} has no field `{}`", short(name));
        let error = self.context.error(Problem::UnknownField, key.span(), message);
        let list = allowed.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let list = format!("fields of {}: {list}", self.table.name);
        if let Some(near) = nearest(name, allowed.iter().copied()) {
            return error.label(format!("did you mean `{near}`?")).help(list);
        }
        error.maybe_help(home_of(name)).help(list)
    }

    fn missing(&self, field: &Field) -> Diagnostic {
        let message = format!("{} has no `{}`", self.name, field.name);
        let error = self.context.error(Problem::MissingField, self.span.clone(), message);
        let range = field.value.range().map(|range| format!(", {range}")).unwrap_or_default();
        let example = match field.value {
            Value::Count(only, high) if only == high => only.to_string(),
            _ => "…".into(),
        };
        error.label(format!("add `{} = {example}` here", field.name)).help(format!(
            "{}: {}{range}",
            field.sentence(),
            field.value.text()
        ))
    }

    /// The field's description and, if it was written, key and value.
    fn find(&self, name: &str) -> (&'static Field, Option<&'a Spanned<DeValue<'a>>>) {
        let Some(field) = self.table.fields.iter().find(|field| field.name == name) else {
            unreachable!("the format of {} has no field {name}", self.table.name);
        };
        self.asked.borrow_mut().push(field.name);
        (field, self.values.get(name))
    }

    /// The `kind` of the table, where several are allowed.
    pub fn kind(&self) -> &'static str {
        self.table.kind
    }

    /// Whether the field was written, rightly or wrongly.
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Where the field's name stands, if it was written.
    pub fn key(&self, name: &str) -> Option<Span> {
        Some(self.values.get_key_value(name)?.0.span())
    }

    fn wrong_type(&self, field: &Field, value: &Spanned<DeValue<'_>>) {
        let start = self.key(field.name).map_or(0, |key| key.start);
        let error = wrong_type(self.context, field.name, &field.value.text(), value, start);
        self.context.report(error.help(field.sentence()));
    }

    pub fn optional_text(&self, name: &str) -> Option<Spanned<String>> {
        let (field, value) = self.find(name);
        let value = value?;
        let Some(text) = value.get_ref().as_str() else {
            self.wrong_type(field, value);
            return None;
        };
        if let Value::Choice(names) = &field.value
            && !names.contains(&text)
        {
            let message = format!("`{name}` cannot be {text:?}");
            let all = format!("`{name}` can be");
            let known = names.iter().copied();
            let error = self.context.unknown_name(value.span(), message, text, known, &all);
            self.context.report(error);
            return None;
        }
        if text.is_empty() {
            let message = format!("`{name}` must not be empty");
            let error = self.context.error(Problem::OutOfRange, value.span(), message);
            self.context.report(error.help(field.sentence()));
            return None;
        }
        Some(Spanned::new(value.span(), text.into()))
    }

    pub fn text(&self, name: &str) -> String {
        match (self.optional_text(name), &self.find(name).0.absent) {
            (Some(text), _) => text.into_inner(),
            (None, Absent::Text(text)) => (*text).into(),
            _ => String::new(),
        }
    }

    pub fn optional_flag(&self, name: &str) -> Option<Spanned<bool>> {
        let (field, value) = self.find(name);
        let value = value?;
        let Some(flag) = value.get_ref().as_bool() else {
            self.wrong_type(field, value);
            return None;
        };
        Some(Spanned::new(value.span(), flag))
    }

    pub fn flag(&self, name: &str) -> bool {
        match (self.optional_flag(name), &self.find(name).0.absent) {
            (Some(flag), _) => flag.into_inner(),
            (None, Absent::Flag(flag)) => *flag,
            _ => false,
        }
    }

    pub fn optional_number(&self, name: &str) -> Option<Spanned<f64>> {
        let (field, value) = self.find(name);
        let value = value?;
        let Value::Number(range) = field.value else {
            unreachable!("{name} is not a number");
        };
        let x = self.checked_number(field, name, value, range)?;
        Some(Spanned::new(value.span(), x))
    }

    pub fn number(&self, name: &str) -> f64 {
        match (self.optional_number(name), &self.find(name).0.absent) {
            (Some(x), _) => x.into_inner(),
            (None, Absent::Number(x)) => *x,
            _ => 0.0,
        }
    }

    pub fn optional_count(&self, name: &str) -> Option<Spanned<u64>> {
        let (field, value) = self.find(name);
        let value = value?;
        let Value::Count(low, high) = field.value else {
            unreachable!("{name} is not a count");
        };
        let n = self.checked_count(field, name, value, low, high)?;
        Some(Spanned::new(value.span(), n))
    }

    pub fn count(&self, name: &str) -> u64 {
        match (self.optional_count(name), &self.find(name).0.absent) {
            (Some(n), _) => n.into_inner(),
            (None, Absent::Number(n)) => *n as u64,
            _ => 1,
        }
    }

    pub fn optional_vector(&self, name: &str) -> Option<Spanned<[f64; 3]>> {
        let (field, value) = self.find(name);
        let value = value?;
        let (range, direction) = match field.value {
            Value::Vector(range) => (range, false),
            Value::Direction => (Range::Finite, true),
            _ => unreachable!("{name} is not a vector"),
        };
        let items = self.three(field, value)?;
        let mut v = [0.0; 3];
        for (k, item) in items.iter().enumerate() {
            v[k] = self.checked_number(field, &element(name, k), item, range)?;
        }
        // Squares below the smallest f32 vanish, and the direction with them.
        if direction && v.iter().all(|x| x.abs() < 1.0e-12) {
            let message = format!("`{name}` must not be 0: it is a direction");
            let error = self.context.error(Problem::OutOfRange, value.span(), message);
            self.context.report(error.help(field.sentence()));
            return None;
        }
        Some(Spanned::new(value.span(), v))
    }

    pub fn vector(&self, name: &str) -> [f64; 3] {
        match (self.optional_vector(name), &self.find(name).0.absent) {
            (Some(v), _) => v.into_inner(),
            (None, Absent::Vector(v)) => *v,
            _ => [0.0; 3],
        }
    }

    pub fn vector_f32(&self, name: &str) -> [f32; 3] {
        self.vector(name).map(|x| x as f32)
    }

    pub fn optional_counts(&self, name: &str) -> Option<Spanned<[u32; 3]>> {
        let (field, value) = self.find(name);
        let value = value?;
        let Value::Counts(low, high) = field.value else {
            unreachable!("{name} is not three counts");
        };
        let items = self.three(field, value)?;
        let mut counts = [1; 3];
        for (k, item) in items.iter().enumerate() {
            let n = self.checked_count(field, &element(name, k), item, low, high)?;
            counts[k] = u32::try_from(n).unwrap_or(u32::MAX);
        }
        Some(Spanned::new(value.span(), counts))
    }

    /// Pairs of a list, at least two of them.
    pub fn pairs(&self, name: &str) -> Option<Spanned<Vec<[f64; 2]>>> {
        let wanted = "a pair of numbers, `[a, b]`";
        let lists = self.lists(name, (2, "two pairs"), wanted, |length| length == 2)?;
        let pairs = lists.get_ref().iter().map(|pair| [pair[0], pair[1]]).collect();
        Some(Spanned::new(lists.span(), pairs))
    }

    /// Points of a list, at least four of them.
    pub fn points(&self, name: &str) -> Option<Spanned<Vec<[f64; 3]>>> {
        let wanted = "three numbers, `[x, y, z]`";
        let lists = self.lists(name, (4, "four points"), wanted, |length| length == 3)?;
        let points = lists.get_ref().iter().map(|point| [point[0], point[1], point[2]]).collect();
        Some(Spanned::new(lists.span(), points))
    }

    /// Rows of numbers, at least two of at least two, all of the same length.
    pub fn rows(&self, name: &str) -> Option<Spanned<Vec<Vec<f64>>>> {
        let wanted = "a row of at least two numbers, `[a, b, …]`";
        let rows = self.lists(name, (2, "two rows"), wanted, |length| length >= 2)?;
        let first = rows.get_ref().first().map_or(0, Vec::len);
        if let Some(other) = rows.get_ref().iter().position(|row| row.len() != first) {
            let length = rows.get_ref()[other].len();
            let message =
                format!("`{name}[0]` has {first} numbers, but `{name}[{other}]` has {length}");
            let items = self.values.get(name).and_then(|value| value.get_ref().as_array());
            let span = items.and_then(|items| Some(items.get(other)?.span()));
            let error =
                self.context.error(Problem::WrongType, span.unwrap_or(rows.span()), message);
            self.context.report(error.help("all rows must have the same length"));
            return None;
        }
        Some(rows)
    }

    /// The lists of numbers in a list: not fewer than `least` says, each of a length that `fits`.
    fn lists(
        &self,
        name: &str,
        least: (usize, &str),
        wanted: &str,
        fits: impl Fn(usize) -> bool,
    ) -> Option<Spanned<Vec<Vec<f64>>>> {
        let (field, value) = self.find(name);
        let value = value?;
        let (Value::Pairs(range) | Value::Points(range) | Value::Rows(range)) = field.value else {
            unreachable!("{name} is not a list of lists");
        };
        let Some(items) = value.get_ref().as_array() else {
            self.wrong_type(field, value);
            return None;
        };
        let count = items.len();
        let refuse = |problem: Problem, message: String| {
            let error = self.context.error(problem, value.span(), message);
            self.context.report(error.help(field.sentence()));
        };
        if count < least.0 {
            let message = format!("`{name}` must have at least {}, but has {count}", least.1);
            refuse(Problem::OutOfRange, message);
            return None;
        }
        let mut lists = Vec::with_capacity(count);
        let mut numbers = 0;
        for (k, item) in items.iter().enumerate() {
            let name = element(name, k);
            let list = item.get_ref().as_array().filter(|list| fits(list.len()));
            let Some(list) = list else {
                let start = self.key(field.name).map_or(0, |key| key.start);
                let error = wrong_type(self.context, &name, wanted, item, start);
                self.context.report(error.help(field.sentence()));
                return None;
            };
            numbers += list.len();
            let number = |(i, item)| self.checked_number(field, &element(&name, i), item, range);
            lists.push(list.iter().enumerate().map(number).collect::<Option<Vec<f64>>>()?);
        }
        if numbers > format::MOST_NUMBERS {
            let most = format::MOST_NUMBERS;
            refuse(Problem::TooLarge, format!("`{name}` has {numbers} numbers, more than {most}"));
            return None;
        }
        Some(Spanned::new(value.span(), lists))
    }

    /// A list of whole numbers; `None` if it was not written or is wrong.
    pub fn count_list(&self, name: &str) -> Option<Vec<u64>> {
        let (field, value) = self.find(name);
        let value = value?;
        let Value::CountList(low, high) = field.value else {
            unreachable!("{name} is not a list of counts");
        };
        let Some(items) = value.get_ref().as_array() else {
            self.wrong_type(field, value);
            return None;
        };
        let count = |(k, item)| self.checked_count(field, &element(name, k), item, low, high);
        items.iter().enumerate().map(count).collect()
    }

    /// Warns of a field that was written in vain.
    pub fn warn_in_vain(&self, name: &str, why: &str) {
        if let Some(value) = self.find(name).1 {
            let message = format!("`{name}` has no effect {why}");
            self.context.warn(self.context.error(Problem::NoEffect, value.span(), message));
        }
    }

    /// A table in this one.
    pub fn table(&self, name: &str) -> Option<Reader<'a>> {
        let (field, value) = self.find(name);
        let value = value?;
        let Some(values) = value.get_ref().as_table() else {
            self.wrong_type(field, value);
            return None;
        };
        let context = self.context;
        let name = self.inner_name(name);
        match &field.value {
            Value::Table(table) => Some(Self::new(context, table, name, values, value.span())),
            Value::Kinds(kinds) => Self::by_kind(context, kinds, name, values, value.span()),
            _ => unreachable!("{name} is not a table"),
        }
    }

    /// The tables of a list in this one. `title` names them for messages, from their number
    /// (from 1) and their values.
    pub fn list(
        &self,
        name: &str,
        title: impl Fn(usize, &DeTable<'_>) -> String,
    ) -> Vec<Reader<'a>> {
        let (field, value) = self.find(name);
        let Some(value) = value else {
            return Vec::new();
        };
        let Some(items) = value.get_ref().as_array() else {
            self.not_a_list(field, value);
            return Vec::new();
        };
        let mut readers = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let Some(values) = item.get_ref().as_table() else {
                self.wrong_type(field, item);
                continue;
            };
            let (context, title, span) = (self.context, title(index + 1, values), item.span());
            match &field.value {
                Value::List(table) => {
                    readers.push(Self::new(context, table, title, values, span));
                }
                Value::ListOfKinds(kinds) => {
                    readers.extend(Self::by_kind(context, kinds, title, values, span));
                }
                _ => unreachable!("{name} is not a list"),
            }
        }
        readers
    }

    /// The tables of a table of tables, by name: key, values and where they stand.
    pub fn named(&self, name: &str) -> Vec<(Spanned<String>, &'a DeTable<'a>, Span)> {
        let (field, value) = self.find(name);
        let Some(value) = value else {
            return Vec::new();
        };
        let Some(tables) = value.get_ref().as_table() else {
            self.wrong_type(field, value);
            return Vec::new();
        };
        let mut named = Vec::new();
        for (key, item) in tables {
            match item.get_ref().as_table() {
                Some(values) => {
                    let key = Spanned::new(key.span(), key.get_ref().to_string());
                    named.push((key, values, item.span()));
                }
                None => self.wrong_type(field, item),
            }
        }
        named
    }

    /// Where the field's value stands, if it was written.
    pub fn value_span(&self, name: &str) -> Option<Span> {
        Some(self.values.get(name)?.span())
    }

    /// The texts of one field over all tables of a list, right or wrong.
    pub fn names_in_list(&self, list: &str, field: &str) -> Vec<String> {
        let items = self.values.get(list).and_then(|value| value.get_ref().as_array());
        let items = items.into_iter().flatten();
        let name = |item: &Spanned<DeValue<'_>>| {
            Some(item.get_ref().as_table()?.get(field)?.get_ref().as_str()?.to_string())
        };
        items.filter_map(name).collect()
    }

    /// Which of these fields were written, with the places of their names, in the order of the
    /// file.
    pub fn given<const N: usize>(&self, names: [&'static str; N]) -> Vec<(Span, &'static str)> {
        self.asked.borrow_mut().extend(names);
        let written = names.into_iter().filter_map(|name| Some((self.key(name)?, name)));
        let mut given: Vec<_> = written.collect();
        given.sort_by_key(|(span, _)| span.start);
        given
    }

    /// Checks that the format promises nothing that is not read.
    pub fn finish(self) {
        if cfg!(debug_assertions) {
            let asked = self.asked.into_inner();
            for field in self.table.fields {
                let name = self.table.name;
                assert!(asked.contains(&field.name), "`{}` of {name} is never read", field.name);
            }
        }
    }

    fn inner_name(&self, name: &str) -> String {
        if std::ptr::eq(self.table, &raw const format::SCENE) {
            return format!("`[{name}]`");
        }
        format!("the `{name}` of {}", self.name)
    }

    fn not_a_list(&self, field: &Field, value: &Spanned<DeValue<'_>>) {
        let name = field.name;
        let context = self.context;
        let written = context.source.quote(value.span());
        if value.get_ref().is_table() && written.starts_with('[') {
            let message = format!("`{name}` is a list: its tables have two brackets");
            let error = context.error(Problem::WrongType, value.span(), message);
            context.report(error.label(format!("write `[[{name}]]`")));
        } else {
            self.wrong_type(field, value);
        }
    }

    /// The three elements of a vector.
    fn three(&self, field: &Field, value: &'a Spanned<DeValue<'a>>) -> Option<&'a DeArray<'a>> {
        let Some(items) = value.get_ref().as_array() else {
            self.wrong_type(field, value);
            return None;
        };
        if items.len() != 3 {
            let (name, count) = (field.name, items.len());
            let message = format!("`{name}` must be {}, but has {count}", field.value.text());
            let error = self.context.error(Problem::WrongType, value.span(), message);
            self.context.report(error.help(field.sentence()));
            return None;
        }
        Some(items)
    }

    fn checked_number(
        &self,
        field: &Field,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        range: Range,
    ) -> Option<f64> {
        let x = match read_number(value.get_ref()) {
            Read::Is(x) => x,
            Read::TooLarge => f64::INFINITY,
            Read::Other => {
                let start = self.key(field.name).map_or(0, |key| key.start);
                let error = wrong_type(self.context, name, "a number", value, start);
                self.context.report(error.help(field.sentence()));
                return None;
            }
        };
        let written = self.context.source.quote(value.span());
        if !(x as f32).is_finite() && !written.contains("inf") && !written.contains("nan") {
            // Finite in the file, infinite in the engine.
            let allowed = match range {
                Range::Between(..) => range.text(),
                _ => "within ±3.4e38".into(),
            };
            self.out_of_range(field, name, value, &allowed);
            return None;
        }
        if !range.contains(x) {
            self.out_of_range(field, name, value, &range.text());
            return None;
        }
        Some(x)
    }

    fn checked_count(
        &self,
        field: &Field,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        low: u64,
        high: u64,
    ) -> Option<u64> {
        let DeValue::Integer(integer) = value.get_ref() else {
            let start = self.key(field.name).map_or(0, |key| key.start);
            let error = wrong_type(self.context, name, "a whole number", value, start);
            self.context.report(error.help(field.sentence()));
            return None;
        };
        let n = read_integer(integer).and_then(|n| u64::try_from(n).ok());
        let n = n.filter(|n| (low..=high).contains(n));
        if n.is_none() {
            self.out_of_range(field, name, value, &format::count_range(low, high));
        }
        n
    }

    fn out_of_range(&self, field: &Field, name: &str, value: &Spanned<DeValue<'_>>, allowed: &str) {
        let found = self.context.source.quote(value.span());
        let message = format!("`{name}` must be {allowed}, but is {found}");
        let error = self.context.error(Problem::OutOfRange, value.span(), message);
        self.context.report(error.help(field.sentence()));
    }
}

/// What was found where a number should be.
pub(crate) enum Read {
    Is(f64),
    TooLarge,
    Other,
}

/// Whole numbers are numbers too.
pub(crate) fn read_number(value: &DeValue<'_>) -> Read {
    match value {
        DeValue::Float(float) => read_float(float),
        DeValue::Integer(integer) => match read_integer(integer) {
            Some(n) => Read::Is(n as f64),
            None => Read::TooLarge,
        },
        _ => Read::Other,
    }
}

fn read_float(float: &DeFloat<'_>) -> Read {
    match float.as_str().parse::<f64>() {
        Ok(x) if x.is_infinite() && !float.as_str().contains("inf") => Read::TooLarge,
        Ok(x) => Read::Is(x),
        Err(_) => Read::Other,
    }
}

fn read_integer(integer: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// "`friction` must be a number, but is text", with what to do about it.
pub(crate) fn wrong_type(
    context: &Context,
    name: &str,
    wanted: &str,
    value: &Spanned<DeValue<'_>>,
    key_start: usize,
) -> Diagnostic {
    // The header of a table may be all there is to point at.
    let span = if value.span().is_empty() { key_start..key_start } else { value.span() };
    let (found, label) = match value.get_ref() {
        DeValue::String(text) if wanted.contains("number") && text.parse::<f64>().is_ok() => {
            ("text", "write it without quotes")
        }
        DeValue::String(text) if wanted.contains("true") && text.parse::<bool>().is_ok() => {
            ("text", "write it without quotes")
        }
        DeValue::String(_) => ("text", ""),
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_)
            if wanted.starts_with("text") =>
        {
            (type_name(value.get_ref()), "put it in quotes")
        }
        DeValue::Float(_) if wanted.starts_with("a whole") => ("a number with a fraction", ""),
        other => (type_name(other), ""),
    };
    let message = format!("`{}` must be {wanted}, but is {found}", short(name));
    context.error(Problem::WrongType, span, message).label(label)
}

fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(true) => "`true`",
        DeValue::Boolean(false) => "`false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// "`gravity[1]`".
fn element(name: &str, k: usize) -> String {
    format!("{name}[{k}]")
}

/// A name for a message, cut short if it is long.
pub(crate) fn short(name: &str) -> String {
    const LONGEST: usize = 40;
    if name.chars().count() <= LONGEST {
        return name.escape_debug().to_string();
    }
    let cut: String = name.chars().take(LONGEST).collect();
    format!("{}…", cut.escape_debug())
}

/// Where a field belongs that stands in the wrong table.
fn home_of(name: &str) -> Option<String> {
    let tables = [&format::SCENE, &format::WORLD, &format::CAMERA, &format::BODY, &format::GRIP];
    let tables = tables.into_iter().chain(format::OBSTACLES.tables.iter().copied());
    let home = tables.into_iter().find(|table| table.fields.iter().any(|f| f.name == name))?;
    let under = if home.place.starts_with('`') { "under " } else { "" };
    Some(format!("`{name}` stands {under}{}", home.place))
}
