/** A body that is arriving, or that a handler still works with. */
export interface HeldBody {
  /** The client that sent it. */
  readonly client: string
  /** Bytes that have arrived. */
  readonly bytes: number
}

/**
 * The bytes of the bodies of all requests that are under way in a process. One client's bodies never keep those of
 * others out: where they exceed the budget, the client that holds the most loses its longest body.
 */
export interface BodyBudget {
  /**
   * Begins a body.
   * @param refuse called once if the body has to give up its bytes; never after `arrived`.
   */
  begin(client: string, refuse: () => void): BodyPlace
  /** The bytes of all bodies. */
  heldBytes(): number
}

export interface BodyPlace {
  /** Adds bytes that arrived. Another body, or this one, is refused if the bytes of all exceed the budget. */
  add(bytes: number): void
  /** The body is whole: it keeps its bytes until it ends. */
  arrived(): void
  /** Gives the bytes back; calling it again does nothing. */
  end(): void
}

interface Body extends HeldBody {
  bytes: number
  /** null once the body is whole. */
  refuse: (() => void) | null
}

/** @param bytesMax of all bodies together. */
export function createBodyBudget(bytesMax: number): BodyBudget {
  const bodies = new Set<Body>()
  let held = 0

  function end(body: Body): void {
    if (bodies.delete(body)) held -= body.bytes
  }

  return {
    begin(client, refuse) {
      const body: Body = { client, bytes: 0, refuse }
      bodies.add(body)
      return {
        add(bytes) {
          if (!bodies.has(body)) return
          body.bytes += bytes
          held += bytes
          while (held > bytesMax) {
            const refused = chooseRefused(bodies) ?? body
            end(refused)
            refused.refuse?.()
          }
        },
        arrived() {
          body.refuse = null
        },
        end: () => end(body),
      }
    },
    heldBytes: () => held,
  }
}

/** The longest arriving body of the client that holds the most bytes; null where no body of that client is arriving. */
function chooseRefused(bodies: ReadonlySet<Body>): Body | null {
  const bytesOf = new Map<string, number>()
  for (const { client, bytes } of bodies) bytesOf.set(client, (bytesOf.get(client) ?? 0) + bytes)
  const most = Math.max(...bytesOf.values())
  let longest: Body | null = null
  for (const body of bodies) {
    const isChoice = body.refuse !== null && bytesOf.get(body.client) === most
    if (isChoice && body.bytes > (longest?.bytes ?? -1)) longest = body
  }
  return longest
}
