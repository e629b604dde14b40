/// The random numbers that are stored in files: the identity of a file, and the seeds of the hashes of its indexes.
package enum StoredRandomness {
    #if !hasFeature(Embedded)
    /// A replacement source for tests, with which the same history produces the same bytes.
    @TaskLocal package static var source: (@Sendable () -> UInt64)?
    #endif

    /// Returns the next number.
    package static func next() -> UInt64 {
        #if !hasFeature(Embedded)
        if let source { return source() }
        #endif
        return UInt64.random(in: .min ... .max)
    }
}
