import Testing

/// The publisher of a key path's values, compiled together with a double of Combine.
struct KeyValuePublisherTests {
    @Test(.enabled(if: ProgramRunner.isAvailable))
    func valuesFollowDemand() throws {
        let result = try CombineProgram.run(Self.program)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output == Self.expected, "\(result.output)")
    }

    private static let program = """
        import Foundation
        import Kivo

        final class Gauge: KeyValueObservable {
            @Observed var value = 0
            @Observed var next: Gauge?
        }

        final class Dog: Object { @Persisted var age = 0 }

        /// A subscriber that asks for values when it is told to.
        final class Slow: Subscriber {
            var subscription: (any Subscription)?
            var more = 0
            func receive(subscription: any Subscription) { self.subscription = subscription }
            func receive(_ input: Int) -> Subscribers.Demand {
                print("slow", input)
                return .max(more)
            }
            func receive(completion: Subscribers.Completion<Never>) {}
        }

        @main struct Program {
            static func main() {
                let gauge = Gauge()
                let all = gauge.publisher(for: \\.value).sink { print("all", $0) }
                let later = gauge.publisher(for: \\.value, options: .new).sink { print("later", $0) }
                gauge.value = 1
                all.cancel()
                gauge.value = 2
                later.cancel()
                gauge.value = 3

                let slow = Slow()
                gauge.publisher(for: \\.value).receive(subscriber: slow)
                gauge.value = 4
                gauge.value = 5
                slow.subscription?.request(.max(1))
                gauge.value = 6
                slow.more = 1
                slow.subscription?.request(.max(1))
                gauge.value = 7
                slow.subscription?.cancel()
                gauge.value = 8

                // A subscriber that assigns receives the values one after the other.
                var isIn = false
                let nested = gauge.publisher(for: \\.value, options: .new).sink { value in
                    print("nested", value, isIn)
                    isIn = true
                    if value < 11 { gauge.value = value + 1 }
                    isIn = false
                }
                gauge.value = 9
                nested.cancel()

                let path = gauge.publisher(for: \\.next?.value).sink { print("path", $0 ?? -1) }
                gauge.next = Gauge()
                gauge.next?.value = 2
                path.cancel()

                let dog = Dog()
                let ages = dog.publisher(for: \\.age).sink { print("age", $0) }
                dog.age = 3
                ages.cancel()
            }
        }
        """

    private static let expected = """
        all 0
        all 1
        later 1
        later 2
        slow 5
        slow 6
        slow 7
        nested 9 false
        nested 10 false
        nested 11 false
        path -1
        path 0
        path 2
        age 0
        age 3

        """
}
