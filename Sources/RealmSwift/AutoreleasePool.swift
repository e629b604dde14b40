#if !canImport(Darwin)
/// Calls a closure, and returns what it returns. Objective-C's pools of temporary objects do not exist on this platform, and
/// nothing needs them.
public func autoreleasepool<Result, Failure: Error>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try body()
}
#endif
