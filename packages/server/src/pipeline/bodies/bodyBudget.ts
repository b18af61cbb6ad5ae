import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'

/**
 * The bytes of the bodies of all requests that are under way in a process. One client's bodies never keep those of
 * others out: where they exceed the budget, the client that holds the most loses its longest body.
 */
export interface BodyBudget {
  /** @param onRefused called once if the body is refused. */
  begin(client: string, onRefused: (error: Error) => void): HeldBody
  /** All bodies that are arriving or that a handler still works with. */
  readonly bodies: Iterable<HeldBody>
  /** The bytes of all bodies. */
  heldBytes(): number
}

export interface HeldBody {
  /** The client that sent it. */
  readonly client: string
  readonly startMs: number
  /** Bytes that have arrived. */
  readonly bytes: number
  /** Whether more of it may arrive. */
  readonly isArriving: boolean
  /** Adds bytes that arrived. Another body, or this one, is refused if the bytes of all exceed the budget. */
  add(bytes: number): void
  /** Gives the bytes back of a body that is arriving; does nothing with any other one. */
  refuse(error: Error): void
  /** The body is whole: it keeps its bytes until it ends. */
  arrived(): void
  /** Gives the bytes back; calling it again does nothing. */
  end(): void
}

/** Seconds after which a client may send a body again that had no room. */
const retryAfterSeconds = 2

/** @param bytesMax of all bodies together. */
export function createBodyBudget(bytesMax: number): BodyBudget {
  const bodies = new Set<HeldBody>()
  let held = 0
  return {
    begin(client, onRefused) {
      const body = {
        client,
        startMs: performance.now(),
        bytes: 0,
        isArriving: true,
        add(bytes: number) {
          if (!body.isArriving) return
          body.bytes += bytes
          held += bytes
          while (held > bytesMax) (chooseRefused(bodies) ?? body).refuse(crowdedOut())
        },
        refuse(error: Error) {
          if (!body.isArriving) return
          body.end()
          onRefused(error)
        },
        arrived() {
          body.isArriving = false
        },
        end() {
          body.isArriving = false
          if (bodies.delete(body)) held -= body.bytes
        },
      }
      bodies.add(body)
      return body
    },
    bodies,
    heldBytes: () => held,
  }
}

/** The longest arriving body of the client that holds the most bytes; null if no body of that client is arriving. */
function chooseRefused(bodies: ReadonlySet<HeldBody>): HeldBody | null {
  const bytesOf = new Map<string, number>()
  for (const { client, bytes } of bodies) bytesOf.set(client, (bytesOf.get(client) ?? 0) + bytes)
  const most = Math.max(...bytesOf.values())
  let longest: HeldBody | null = null
  for (const body of bodies) {
    const isChoice = body.isArriving && bytesOf.get(body.client) === most
    if (isChoice && body.bytes > (longest?.bytes ?? -1)) longest = body
  }
  return longest
}

function crowdedOut(): OverloadedError {
  return new OverloadedError(
    'The bodies of other requests of this client take all room; ask again in a moment.',
    retryAfterSeconds,
  )
}
