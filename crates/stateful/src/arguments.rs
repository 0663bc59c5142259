//! Lists of arguments: none is `()`, one is passed as itself, several as a tuple.

use crate::{
    argument::{ArgumentSource, NoValue, Reference, StateView},
    step::ArgumentRecord,
};

/// The arguments of a command.
pub trait Arguments<M>: 'static {
    /// The type that the command receives: `()`, the one value, or a tuple.
    type Values;
    /// The value trees, from which values can be taken repeatedly.
    type Trees: 'static;

    /// The names in reports.
    fn names(&self) -> Vec<&'static str>;

    /// The results of other commands that they refer to.
    fn refer_to(&self) -> Vec<Reference>;

    /// Builds the value trees that `arguments` describe.
    fn build(
        &self,
        state: &StateView<'_, M>,
        arguments: &mut [ArgumentRecord],
    ) -> Result<Self::Trees, NoValue>;

    /// The current values.
    fn values(trees: &Self::Trees) -> Self::Values;

    /// The values as text for reports.
    fn display(trees: &Self::Trees) -> Vec<String>;
}

/// A list that can get one more argument.
pub trait Append<A> {
    /// The longer list.
    type Longer;

    /// Adds `argument` at the end.
    fn append(self, argument: A) -> Self::Longer;
}

macro_rules! list {
    ($count:literal; $($source:ident $place:tt),*; $values:ty; $trees:ident => $made:expr) => {
        impl<M: 'static, $($source: ArgumentSource<M>),*> Arguments<M> for ($($source,)*) {
            type Values = $values;
            type Trees = ($($source::Tree,)*);

            fn names(&self) -> Vec<&'static str> {
                vec![$(self.$place.name()),*]
            }

            fn refer_to(&self) -> Vec<Reference> {
                let all: Vec<Option<Reference>> = vec![$(self.$place.refers_to()),*];
                all.into_iter().flatten().collect()
            }

            #[allow(unused_variables, reason = "a command may have no arguments")]
            fn build(
                &self,
                state: &StateView<'_, M>,
                arguments: &mut [ArgumentRecord],
            ) -> Result<Self::Trees, NoValue> {
                Ok(($(self.$place.build(state, &mut arguments[$place])?,)*))
            }

            #[allow(unused_variables, reason = "a command may have no arguments")]
            fn values($trees: &Self::Trees) -> Self::Values {
                $made
            }

            #[allow(unused_variables, reason = "a command may have no arguments")]
            fn display(trees: &Self::Trees) -> Vec<String> {
                vec![$(format!("{:?}", $source::value(&trees.$place))),*]
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
        list!($count; $($source $place),*; ($($source::Value,)*);
            trees => ($($source::value(&trees.$place),)*));
    };
}

list!(0; ; (); trees => ());
list!(1; A 0; A::Value; trees => A::value(&trees.0));
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
