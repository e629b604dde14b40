/// The side of a migration that a realm instance shows. No other code uses its store during the migration, all its objects are
/// dynamic, and its tables are those that it was created with.
enum MigrationSide {
    /// The side that reads the old data.
    case old
    /// The side that reads and writes the new data.
    case new
}
