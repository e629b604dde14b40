import Kivo
import KivoEngine

extension FollowedNumber {
    /// Begins to follow a number of the objects of a class that a query finds in a snapshot. O(objects).
    ///
    /// - Throws: ``UsageError`` if the class does not have the properties, or if the number cannot be computed of them.
    static func checked(
        _ request: NumberRequest, of some: StoredClass, _ query: TextQuery, _ snapshot: Snapshot,
        _ catalog: Catalog
    ) throws -> FollowedNumber {
        for name in [request.property, request.key].compactMap({ $0 }) {
            _ = try FieldPath(name, of: some, catalog)
        }
        do {
            return try CheckedQuery.follow(request, of: query, snapshot, catalog)
        } catch let mistake as QueryMistake {
            throw UsageError(mistake.message)
        }
    }
}

extension StoredValues {
    /// Returns the value of a number or of a group's key.
    func value(_ value: FollowedNumber.Value) -> StoredValue {
        StoredValue(value.cell, value.type) ?? any(value.cell)
    }
}
