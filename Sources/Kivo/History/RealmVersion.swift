import KivoEngine

extension Realm {
    /// A version of a realm's contents, from which ``Realm/changes(since:)`` and ``Realm/commits(since:until:)`` begin.
    ///
    /// A version is a number, and the random number of the data that it belongs to. Both stay valid when the file is compacted. A copy
    /// that ``Realm/writeCopy(toFile:encryptionKey:)`` makes is other data, with versions of its own; a file that was copied by other
    /// means has the versions of the original, and should replace it.
    ///
    /// A version that a realm returned also retains its contents in memory, as a frozen realm does, as long as the value or a copy of
    /// it exists and the realm is open: changes since then are found without reading the file, and in a realm in memory they cannot be
    /// found otherwise. A version that was decoded retains nothing.
    public struct Version: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
        /// The random number of the data; 0 for a log that has no number.
        public let lineage: UInt64
        /// The number of commits up to the version. A realm in memory counts its versions in this process.
        public let number: UInt64
        private let pin: VersionPin?

        init(lineage: UInt64, number: UInt64, _ pin: VersionPin? = nil) {
            (self.lineage, self.number, self.pin) = (lineage, number, pin)
        }

        private enum CodingKeys: CodingKey {
            case lineage, number
        }

        /// Creates a version from its coded form.
        ///
        /// - Throws: The errors of the decoder.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                lineage: try container.decode(UInt64.self, forKey: .lineage),
                number: try container.decode(UInt64.self, forKey: .number))
        }

        /// Encodes the version, without its contents.
        ///
        /// - Throws: The errors of the encoder.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(lineage, forKey: .lineage)
            try container.encode(number, forKey: .number)
        }

        /// Returns whether two versions have the same numbers.
        public static func == (a: Version, b: Version) -> Bool {
            a.lineage == b.lineage && a.number == b.number
        }

        /// Hashes the numbers.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(lineage)
            hasher.combine(number)
        }

        /// Returns whether a version is older than another. Versions of different data are ordered by the numbers of the data.
        public static func < (a: Version, b: Version) -> Bool {
            (a.lineage, a.number) < (b.lineage, b.number)
        }

        /// The number of the version.
        public var description: String { "version \(number)" }
    }
}
