import Foundation

/// Returns a description of a date, in the form of Foundation. Dates that are too far from now for Foundation, which would end
/// the process, are given in seconds.
func words(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    return abs(seconds) < 1e18 ? "\(date)" : "\(seconds) s since 1970"
}
