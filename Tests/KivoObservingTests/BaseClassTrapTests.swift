#if compiler(>=6.2)
import Foundation
import KivoObserving
import Testing

/// Misuse of classes with a base class.
struct BaseClassTrapTests {
    private final class Deaf: KeyValueObject {
        @Observed var number = 0
    }

    private static func isUnhandled(_ text: [UInt8]) -> Bool {
        let text = String(decoding: text, as: UTF8.self)
        return ["'number'", "not handled", "'Deaf'"].allSatisfy(text.contains)
    }

    @Test func notificationsThatNobodyHandles() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let deaf = Deaf()
            deaf.addObserver(deaf, forKeyPath: "number", options: [], context: nil)
            deaf.number = 1
        }
        #expect(Self.isUnhandled(result?.standardErrorContent ?? []))
    }

    @Test func undefinedKeysAndNil() async throws {
        await #expect(processExitsWith: .failure) { _ = Deaf().value(forKey: "strange") }
        await #expect(processExitsWith: .failure) { Deaf().setValue(1, forKey: "strange") }
        await #expect(processExitsWith: .failure) { Deaf().setValue(nil, forKey: "number") }
    }
}
#endif
