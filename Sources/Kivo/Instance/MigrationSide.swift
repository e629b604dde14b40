/// What a realm instance is of which a migration is made: nobody else uses its store then, all its objects are dynamic, and its
/// tables are those that it was made with.
enum MigrationSide {
    /// Reads the data as they were.
    case old
    /// Reads and writes the data as they will be.
    case new
}
