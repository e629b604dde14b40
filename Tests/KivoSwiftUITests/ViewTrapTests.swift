#if compiler(>=6.2)
import Foundation
import Kivo
import KivoSwiftUI
import Testing

/// Misuse, and errors without a caller that could receive them, trap with a message.
struct ViewTrapTests {
    @Test func sectionsByABlockNeedAnOrder() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SectionDivision<Int, Pup>.block { $0.age }.order([])
        }
        #expect(text(result).contains("Sections of 'Pup' by a block need an order"))
    }

    @Test func anUnmanagedObjectCannotBeRemovedFromResults() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            @MainActor in
            let realm = try! Realm(configuration: .init(inMemoryIdentifier: "trap"))
            CollectionEdits.remove(Pup(), of: realm.objects(Pup.self))
        }
        #expect(text(result).contains("unmanaged object of class 'Pup' cannot be removed from results"))
    }

    @Test func aRealmThatCannotBeOpenedIsNamed() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            @MainActor in
            let file = URL(fileURLWithPath: "/dev/null/no.kivo")
            _ = ResultsStorage<Pup>(.init(configuration: .init(fileURL: file))).shown
        }
        #expect(text(result).contains("The realm of a SwiftUI view could not be opened"))
        #expect(text(result).contains("@AutoOpen"))
    }

    @Test func aWriteThatFailsIsNamed() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            @MainActor in
            let realm = try! Realm(configuration: .init(inMemoryIdentifier: "trap"))
            try! realm.write { realm.create(Named.self, value: ["name": "a"]) }
            CollectionEdits.append(Named(value: ["name": "a"]), to: realm.objects(Named.self))
        }
        #expect(
            text(result).contains(
                "A write that a SwiftUI view caused to a value of type 'Results<Named>' failed"))
    }

    @Test func otherObserversStillKeepAnObjectFromBeingAdded() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            @MainActor in
            let realm = try! Realm(configuration: .init(inMemoryIdentifier: "trap"))
            let pup = Pup()
            let subscription = ValueStorage(pup, .object).relay.subscribe {}
            let observation = pup.observe(\.name) { _, _ in }
            try! realm.write { realm.add(pup) }
            withExtendedLifetime((subscription, observation)) {}
        }
        #expect(text(result).contains("that has key-value observers to a realm"))
    }

    private func text(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }
}
#endif
