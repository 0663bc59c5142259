//! Which parameter a name in the query or among the cookies belongs to.
//!
//! Most parameters use their own name. An exploded object uses those of its members, and a `deepObject`
//! its own with a member in brackets, so names can collide. One rule decides: a parameter's own name,
//! then the members that an object declares, then the first object that is exploded.

use std::collections::BTreeSet;

use super::{
    Api, Operation,
    operation::{Parameter, ParameterPlace},
    value_types::{self, ValueTypes},
    wire_format::{Frame, WireFormat},
};
use crate::TypeSet;

/// The names that the parameters of one place use.
#[derive(Clone, Debug)]
pub struct NameClaims(Vec<Claim>);

#[derive(Clone, Debug)]
struct Claim {
    parameter: usize,
    name: String,
    /// Whether texts carry the parameter's own name.
    uses_name: bool,
    is_deep: bool,
    /// The declared members, if the parameter may be an exploded object.
    members: Option<BTreeSet<String>>,
}

impl Api {
    /// The names that the parameters of `operation` use at `place`, by index into
    /// [`Operation::parameters`].
    #[must_use]
    pub fn name_claims(&self, operation: &Operation, place: ParameterPlace) -> NameClaims {
        let types = |parameter: &Parameter| self.value_types(parameter.schema.as_ref());
        NameClaims::of(operation, place, types)
    }
}

impl NameClaims {
    pub(super) fn in_excerpt(
        excerpt: &super::excerpt::Excerpt<'_, '_>,
        operation: &Operation,
        place: ParameterPlace,
    ) -> Self {
        let (resolver, draft) = (excerpt.resolver, excerpt.options.draft);
        let types = |parameter: &Parameter| {
            value_types::of_value(resolver, draft, parameter.schema.as_ref())
        };
        Self::of(operation, place, types)
    }

    fn of(
        operation: &Operation,
        place: ParameterPlace,
        types: impl Fn(&Parameter) -> ValueTypes,
    ) -> Self {
        let parameters = operation.parameters.iter().enumerate();
        let here = parameters.filter(|(_, parameter)| parameter.place == place);
        let claim = |(index, parameter): (usize, &Parameter)| {
            let (mut is_deep, mut members, mut uses_name) = (false, None, true);
            if let WireFormat::Styled(layout) = parameter.wire_format() {
                is_deep = layout.frame == Frame::Deep;
                if layout.frame == Frame::Named && layout.explodes {
                    let types = types(parameter);
                    if types.own.overlaps(TypeSet::OBJECT) {
                        members = Some(types.members.keys().cloned().collect());
                        uses_name = types.own.without(crate::JsonType::Null) != TypeSet::OBJECT;
                    }
                }
            }
            Claim { parameter: index, name: parameter.name.clone(), uses_name, is_deep, members }
        };
        Self(here.map(claim).collect())
    }

    /// The index of the parameter that a pair with this name belongs to.
    #[must_use]
    pub fn owner(&self, name: &str) -> Option<usize> {
        let exact = |claim: &&Claim| claim.uses_name && claim.name == name;
        let deep = |claim: &&Claim| claim.is_deep && deep_member(&claim.name, name).is_some();
        let declared = |claim: &&Claim| claim.members.as_ref().is_some_and(|it| it.contains(name));
        let exploded = |claim: &&Claim| claim.members.is_some();
        let claims = &self.0;
        let found = claims
            .iter()
            .find(exact)
            .or_else(|| claims.iter().find(deep))
            .or_else(|| claims.iter().find(declared))
            .or_else(|| claims.iter().find(exploded));
        found.map(|claim| claim.parameter)
    }

    /// The names that no member of the exploded object `parameter` may have.
    pub(super) fn foreign_names(&self, parameter: usize) -> BTreeSet<&str> {
        let names = self.0.iter().flat_map(|claim| {
            let own = claim.uses_name.then_some(claim.name.as_str());
            own.into_iter().chain(claim.members.iter().flatten().map(String::as_str))
        });
        let is_own_name = |name: &str| {
            self.0.iter().any(|it| it.parameter == parameter && it.uses_name && it.name == name)
        };
        names.filter(|name| self.owner(name) != Some(parameter) || is_own_name(name)).collect()
    }

    /// The names of the parameters whose members stand in brackets.
    pub(super) fn deep_names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|claim| claim.is_deep).map(|claim| claim.name.as_str())
    }

    /// Whether names that nothing declares belong to `parameter`.
    pub(super) fn has_undeclared_names(&self, parameter: usize) -> bool {
        let first = self.0.iter().find(|claim| claim.members.is_some());
        first.is_some_and(|claim| claim.parameter == parameter)
    }
}

/// The member in brackets after `parameter` in `name`.
///
/// ```
/// use foolproof_contract::openapi::deep_member;
///
/// assert_eq!(deep_member("filter", "filter[size]"), Some("size"));
/// assert_eq!(deep_member("filter", "filters[size]"), None);
/// ```
#[must_use]
pub fn deep_member<'n>(parameter: &str, name: &'n str) -> Option<&'n str> {
    name.strip_prefix(parameter)?.strip_prefix('[')?.strip_suffix(']')
}
