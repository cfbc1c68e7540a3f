// Package queue is the work queue of one controller: a queue of objects, each with a mailbox of events.
//
// It owns the identity of work (Item), what is known about the events behind it (Facts), the order in which objects are handed
// to workers, delays and back-off, and how many workers may be busy. It does not know objects, gates or reconcilers.
//
// # Order
//
// An object is handed out to one worker at a time; whatever arrives for it meanwhile waits in its mailbox until Done. Items
// without an EventID coalesce: the mailbox holds at most one of them, with the facts of all its events merged. Items with an
// EventID stay apart and are handed out in the order in which they arrived, each at least once.
//
// Between objects the higher priority goes first, and among equals the object that became ready first. An object has the highest
// priority of the items in its mailbox, since they can only leave it in order; when that rises, it goes to the end of the higher
// priority. Every sixteenth hand-out ignores priority and takes
// the object that has waited longest, so a low priority waits but never starves: an object with n objects before it is handed
// out within the next 16(n+1) hand-outs.
//
// # Retries
//
// An object has one ready time, the earliest that anybody asked for. An item that its worker queues again, after a failure or
// with a requeue time, keeps the facts of its event and waits alone. As soon as the object has a newer event, that event takes
// the waiting one over: it gets the facts of both and is handed out at once. So a failing event neither holds up nor overtakes
// the events after it, and each failure uses up one event until the last one backs off. Back-off counts failures by object,
// not by event.
//
// # Lifetime
//
// A queue has no goroutines, only a timer while something is delayed. Its memory is bounded by the items that are waiting or
// with a worker; nothing is kept about an object that is neither.
package queue
