//! Lists of arguments: none is `()`, one is passed as itself, several as a tuple.

use std::{borrow::Cow, cell::Cell};

use crate::{
    Argument,
    argument::{ArgumentSource, NoValue, StateView},
    panics::Interruptible,
    results::Reference,
    step::ArgumentRecord,
};

/// The arguments of a command.
pub trait Arguments<M>: 'static {
    /// The type that the command receives: `()`, the one value, or a tuple.
    type Values: Clone + 'static;

    /// How many there are.
    const COUNT: usize;

    /// The names in reports.
    fn names(&self) -> Vec<Cow<'static, str>>;

    /// The values of other commands that they refer to.
    fn refer_to(&self) -> Vec<Reference>;

    /// Whether nobody can refer to the value of this argument any more once the command ran.
    fn is_consumed(&self, argument: usize) -> bool;

    /// Builds the values that `arguments` describe.
    fn build(
        &self,
        state: &StateView<'_, M>,
        arguments: &mut [ArgumentRecord],
    ) -> Result<Self::Values, NoValue>;

    /// The values as text for reports.
    fn display(&self, values: &Self::Values) -> Vec<Argument>;
}

/// A list that can get one more argument.
pub trait Append<A> {
    /// The longer list.
    type Longer;

    /// Adds `argument` at the end.
    fn append(self, argument: A) -> Self::Longer;
}

macro_rules! list {
    ($count:literal; $($source:ident $place:tt),*; $values:ty; $build:expr;
        $shown:ident => $($show:expr),*) => {
        impl<M: 'static, $($source: ArgumentSource<M>),*> Arguments<M> for ($($source,)*) {
            type Values = $values;
            const COUNT: usize = $count;

            fn names(&self) -> Vec<Cow<'static, str>> {
                vec![$(self.$place.name().clone()),*]
            }

            fn refer_to(&self) -> Vec<Reference> {
                let all: Vec<Option<Reference>> = vec![$(self.$place.refers_to()),*];
                all.into_iter().flatten().collect()
            }

            #[allow(clippy::match_single_binding, reason = "a command may have no arguments")]
            fn is_consumed(&self, argument: usize) -> bool {
                match argument {
                    $($place => self.$place.is_consumed(),)*
                    _ => false,
                }
            }

            #[allow(unused_variables, reason = "a command may have no arguments")]
            fn build(
                &self,
                state: &StateView<'_, M>,
                arguments: &mut [ArgumentRecord],
            ) -> Result<Self::Values, NoValue> {
                let at = Cell::new(0_usize);
                let _guard = Interruptible(|| {
                    let names = <Self as Arguments<M>>::names(self);
                    let name = names.get(at.get()).cloned().unwrap_or_default();
                    format!("while the argument `{name}` of `{}` was drawn", state.command)
                });
                let built = ($({
                    at.set($place);
                    self.$place
                        .build(state, &mut arguments[$place])
                        .map_err(|reason| reason.at($place))?
                },)*);
                Ok($build(built))
            }

            #[allow(unused_variables, reason = "a command may have no arguments")]
            fn display(&self, $shown: &Self::Values) -> Vec<Argument> {
                let values: Vec<String> = vec![$(format!("{:?}", $show)),*];
                let names = <Self as Arguments<M>>::names(self).into_iter();
                names.zip(values).map(|(name, value)| Argument::new(name, value)).collect()
            }
        }
    };
}

macro_rules! longer {
    ($($source:ident $place:tt),*) => {
        impl<Added, $($source),*> Append<Added> for ($($source,)*) {
            type Longer = ($($source,)* Added,);

            fn append(self, argument: Added) -> Self::Longer {
                ($(self.$place,)* argument,)
            }
        }
    };
}

macro_rules! several {
    ($count:literal; $($source:ident $place:tt),*) => {
        list!($count; $($source $place),*; ($($source::Value,)*); std::convert::identity;
            values => $(values.$place),*);
    };
}

list!(0; ; (); std::convert::identity; values => );
list!(1; A 0; A::Value; |built: (A::Value,)| built.0; value => value);
several!(2; A 0, B 1);
several!(3; A 0, B 1, C 2);
several!(4; A 0, B 1, C 2, D 3);
several!(5; A 0, B 1, C 2, D 3, E 4);
several!(6; A 0, B 1, C 2, D 3, E 4, F 5);
several!(7; A 0, B 1, C 2, D 3, E 4, F 5, G 6);
several!(8; A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
several!(9; A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
several!(10; A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);

longer!();
longer!(A 0);
longer!(A 0, B 1);
longer!(A 0, B 1, C 2);
longer!(A 0, B 1, C 2, D 3);
longer!(A 0, B 1, C 2, D 3, E 4);
longer!(A 0, B 1, C 2, D 3, E 4, F 5);
longer!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
longer!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
longer!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
