import Foundation
import KivoObserving

@MainActor final class Screen: KeyValueObservable { @Observed var title = "" }  // error: class 'Screen' is isolated to 'MainActor', and its conformance to KeyValueObservable is not, so that its properties can be set by name on any thread: declare it '@MainActor KeyValueObservable'
@MainActor final class Page: @MainActor KeyValueObservable { @Observed var title = "" }
@MainActor class Sheet: NSObject, @MainActor KeyValueObservable { @Observed var title = "" }
class WideSheet: Sheet { @Observed var width = 0 }
final class Plain: KeyValueObservable { @Observed var title = "" }
@MainActor final class NotObserved { var title = "" }

@MainActor final class Late { @Observed var title = "" }
extension Late: KeyValueObservable {}  // error: declare it '@MainActor KeyValueObservable'

@MainActor final class Soon { @Observed var title = "" }
extension Soon: @MainActor KeyValueObservable {}

@MainActor final class Risky: @preconcurrency KeyValueObservable { @Observed var title = "" }  // error: class 'Risky' is isolated to 'MainActor'

@globalActor actor Storage { static let shared = Storage() }
@Storage final class Index: KeyValueObservable { @Observed var count = 0 }  // error: declare it '@Storage KeyValueObservable'
@Storage final class Log: @Storage KeyValueObservable { @Observed var count = 0 }

@MainActor class Based: KeyValueObject { @Observed var title = "" }  // error: the conformance of its base class to KeyValueObservable is not

@MainActor protocol Showing {}
final class Shown: Showing, KeyValueObservable { @Observed var title = "" }  // error: class 'Shown' is isolated to 'MainActor'

class Open: KeyValueObservable { @Observed var title = "" }
@MainActor class Closed: Open { @Observed var width = 0 }  // error: inherits a conformance to KeyValueObservable that is not
@MainActor class Inner: Screen { @Observed var width = 0 }
nonisolated class Free: KeyValueObservable { @Observed var title = "" }

struct Wrapper { @MainActor final class Nested: KeyValueObservable { @Observed var title = "" } }  // error: class 'Wrapper.Nested' is isolated
