#if compiler(>=6.2)
import Kivo
import Observation
import XCTest

/// `Observations` of the toolchain, which are made of reads of models that say that they are `Observable`.
final class ToolchainObservationsTests: RealmTestCase {
    @MainActor
    func testObservationsFollowModelsAndResults() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            throw XCTSkip("There are no 'Observations' here.")
        }
        let realm = try await Realm(configuration: configuration)
        let dog = TrackedDog(value: ["id": 1, "name": "a"])
        try realm.write { realm.add(dog) }
        let dogs = realm.objects(TrackedDog.self)
        let told = ToldOnMain()
        let task = Task { @MainActor in
            for await text in Observations({ "\(dog.name) of \(dogs.count)" }) { told.texts.append(text) }
        }
        await eventually("the first value") { told.texts == ["a of 1"] }
        try realm.write { dog.name = "b" }
        await eventually("a local change") { told.texts.last == "b of 1" }
        try writeElsewhere { $0.add(TrackedDog(value: ["id": 2])) }
        await eventually("a change of another thread") { told.texts.last == "b of 2" }
        try writeElsewhere { $0.object(ofType: TrackedDog.self, forPrimaryKey: 1)?.name = "c" }
        await eventually("the other thread's name") { told.texts.last == "c of 2" }
        let count = told.texts.count
        try realm.write { dog.weight = 3 }
        for _ in 0..<50 { await Task.yield() }
        XCTAssertEqual(Array(told.texts.suffix(from: count)).filter { $0 != "c of 2" }, [])
        task.cancel()
    }

    /// The example of the article `ChangeStreams`.
    @MainActor
    func testObservationsFollowLiveNumbers() async throws {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            throw XCTSkip("There are no 'Observations' here.")
        }
        let realm = try await Realm(configuration: configuration)
        let dog = TrackedDog(value: ["id": 1, "name": "a", "friends": [["id": 2]]])
        try realm.write { realm.add(dog) }
        let (count, ages) = (dog.friends.live.count, realm.objects(TrackedDog.self).grouped(by: \.name).count)
        let told = ToldOnMain()
        let task = Task { @MainActor in
            for await text in Observations({ "\(dog.name) \(count.value) \(ages["b"] ?? 0)" }) {
                told.texts.append(text)
            }
        }
        await eventually("the first value") { told.texts == ["a 1 0"] }
        try realm.write { dog.friends.append(TrackedDog(value: ["id": 3, "name": "b"])) }
        await eventually("another friend") { told.texts.last == "a 2 1" }
        try writeElsewhere { $0.object(ofType: TrackedDog.self, forPrimaryKey: 2)?.name = "b" }
        await eventually("a name of a group") { told.texts.last == "a 2 2" }
        let texts = told.texts.count
        try writeElsewhere { $0.object(ofType: TrackedDog.self, forPrimaryKey: 2)?.weight = 3 }
        realm.refresh()
        for _ in 0..<50 { await Task.yield() }
        XCTAssertEqual(told.texts.count, texts)
        task.cancel()
    }
}

@MainActor
private final class ToldOnMain {
    var texts: [String] = []
}
#endif
