/// The random numbers that are stored in files: the identity of a file, and what the hashes of its indexes begin with.
package enum StoredRandomness {
    #if !hasFeature(Embedded)
    /// A source of other numbers, for tests: the same history gives the same bytes with it.
    @TaskLocal package static var source: (@Sendable () -> UInt64)?
    #endif

    /// The next number.
    package static func next() -> UInt64 {
        #if !hasFeature(Embedded)
        if let source { return source() }
        #endif
        return UInt64.random(in: .min ... .max)
    }
}
