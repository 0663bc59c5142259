//! Words and names: what plausible text, and the names of properties that nobody declared, are made
//! of. All ASCII, so that bytes are characters.

use crate::Source;

/// One of `list`, which is not empty.
pub(crate) fn any_of(list: &[&'static str], source: &mut impl Source) -> &'static str {
    list[source.index(list.len())]
}

/// Common English words; the first is the simplest.
pub(crate) const WORDS: &[&str] = &[
    "a", "blue", "river", "stone", "apple", "north", "garden", "silver", "window", "paper",
    "cloud", "tiger", "summer", "coffee", "bridge", "forest", "orange", "market", "yellow",
    "winter", "candle", "mountain", "letter", "ocean", "copper", "engine", "island", "planet",
    "hammer", "violet", "basket", "rabbit", "pepper", "velvet", "anchor", "cherry", "falcon",
    "ginger", "harbor", "ivory", "jacket", "kettle", "lemon", "marble", "needle", "olive",
    "pencil", "quartz", "rocket", "saddle", "tunnel", "umbrella", "valley", "walnut", "zebra",
    "amber", "bamboo", "cactus", "dragon", "ember", "feather", "glacier", "honey", "indigo",
    "jungle", "kernel", "lantern", "meadow", "nectar", "orchid", "prairie", "quiver", "ribbon",
    "sunset", "timber", "urban", "vessel", "willow", "yonder", "zenith", "active", "basic",
    "clear", "daily", "early", "final", "grand", "happy", "ideal", "joint", "known", "large",
    "major", "noble", "outer", "prime", "quick", "rapid", "solid", "total", "upper", "vital",
    "whole", "young", "order", "invoice", "customer", "product", "account", "payment", "address",
    "report", "project", "service", "message", "status", "region", "category", "option", "version",
    "release", "update", "request", "response", "session", "profile", "member", "partner",
    "supplier", "shipment", "delivery", "contract", "budget", "sample", "sensor", "device",
    "network", "server", "client", "module", "package", "format", "record", "folder", "file",
    "image", "video", "audio", "track", "album", "artist", "author", "book", "chapter", "page",
    "story", "poem", "news", "event", "ticket", "seat", "table", "chair", "lamp", "desk", "door",
    "floor", "roof", "wall", "house", "street", "city", "town", "village", "country", "world",
    "space", "time", "week", "month", "year", "morning", "evening", "night", "dinner", "lunch",
    "bread", "cheese", "butter", "sugar", "salt", "water", "milk", "juice", "tea", "wine", "soup",
    "rice", "pasta", "fish", "chicken", "potato", "carrot", "onion", "tomato", "garlic", "banana",
    "grape", "peach", "plum", "pear", "melon", "berry", "nut", "seed", "leaf", "root", "branch",
    "flower", "grass", "tree", "bird", "horse", "sheep", "goat", "cow", "dog", "cat", "mouse",
    "bear", "wolf", "fox", "deer", "lion", "whale", "shark", "eagle", "owl", "swan", "duck",
    "crane", "heron", "robin", "wren", "finch", "music", "dance", "paint", "drawing", "color",
    "light", "shadow", "sound", "voice", "word", "idea", "plan", "goal", "team", "group", "class",
    "school", "teacher", "student", "doctor", "nurse", "driver", "pilot", "sailor", "farmer",
    "baker", "tailor", "painter", "singer", "actor", "writer", "editor", "manager", "owner",
    "guest", "friend", "family", "brother", "sister", "mother", "father", "child", "baby", "king",
    "queen", "prince", "knight",
];

/// Given names from many places.
pub(crate) const GIVEN_NAMES: &[&str] = &[
    "Ada", "Alan", "Alice", "Amir", "Ana", "Anton", "Aya", "Ben", "Bruno", "Carla", "Chen",
    "Clara", "Daniel", "Diego", "Elena", "Emil", "Emma", "Erik", "Eva", "Fatima", "Felix", "Finn",
    "Grace", "Hana", "Hugo", "Ida", "Igor", "Ines", "Isla", "Ivan", "Jack", "Jana", "Jonas",
    "Julia", "Karl", "Kemal", "Lara", "Lena", "Leo", "Lin", "Lucas", "Lucia", "Maja", "Marco",
    "Maria", "Marta", "Mateo", "Max", "Mia", "Milan", "Mina", "Nadia", "Nils", "Nina", "Noah",
    "Nora", "Olga", "Omar", "Oscar", "Paul", "Petra", "Priya", "Rafael", "Rosa", "Ruth", "Samir",
    "Sara", "Sofia", "Sven", "Tara", "Theo", "Tom", "Uma", "Vera", "Victor", "Wei", "Yara",
    "Yusuf", "Zoe",
];

/// Family names from many places.
pub(crate) const FAMILY_NAMES: &[&str] = &[
    "Adams", "Almeida", "Andersen", "Bauer", "Becker", "Brown", "Castillo", "Chen", "Cohen",
    "Costa", "Davis", "Diaz", "Dubois", "Evans", "Fischer", "Garcia", "Gomez", "Hansen", "Haddad",
    "Ito", "Ivanov", "Jansen", "Johnson", "Kaya", "Khan", "Kim", "Kowalski", "Larsen", "Lee",
    "Lopez", "Martin", "Meyer", "Moreau", "Morgan", "Murphy", "Nakamura", "Nguyen", "Novak",
    "Okafor", "Olsen", "Patel", "Pereira", "Petrov", "Ricci", "Rossi", "Santos", "Sato", "Schmidt",
    "Silva", "Singh", "Smith", "Suzuki", "Tanaka", "Taylor", "Torres", "Vargas", "Wagner",
    "Walker", "Wang", "Weber", "Wilson", "Wright", "Yilmaz", "Young", "Zhang",
];

/// Names for properties that nobody declared.
pub(crate) const PROPERTY_NAMES: [&str; 16] = [
    "note", "label", "extra", "value", "origin", "detail", "comment", "source", "status", "marker",
    "x-note", "x-origin", "data", "info", "tag", "ref",
];

/// Names for single properties that a plan asks for and nobody declared: different in length, in case
/// and in whether they have a prefix, so that some fits most rules on names.
pub const ENTRY_NAMES: [&str; 12] =
    ["extra", "note", "x-note", "item", "a", "A", "other", "b", "more", "c", "x-more", "B"];
