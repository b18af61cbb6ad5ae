import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'

/** A client, as limits of rates tell clients apart. */
export interface Asker {
  /** The client, or `key` and the name of its key. */
  readonly name: string
  readonly hasKey: boolean
}

/** Names the client that sent a request. */
export type FindAsker = (request: IncomingMessage) => Asker

const asking = new AsyncLocalStorage<() => Asker>()

/**
 * Runs work on behalf of a client, which `presentAsker` then names in all that follows from the work. Work within such
 * work stays that of the outer client: tools send requests of their own.
 * @param find called only if a budget asks for the client.
 */
export function runFor<Result>(find: () => Asker, work: () => Result): Result {
  return asking.getStore() === undefined ? asking.run(find, work) : work()
}

/** Runs work on behalf of a client, whoever caused the work. */
export function runAs<Result>(asker: Asker | null, work: () => Result): Result {
  return asker === null ? asking.exit(work) : asking.run(() => asker, work)
}

/** The client on whose behalf the present work is done; null if the program works of itself. */
export function presentAsker(): Asker | null {
  return asking.getStore()?.() ?? null
}
