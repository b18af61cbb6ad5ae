/** Slots for work that holds much memory: each client has so many, and its other work waits in its order. */
export interface ClientSlots {
  /** Takes a slot, at once or after one is free. Returns the function that frees the slot. */
  enter(client: string): (() => void) | Promise<() => void>
}

interface Held {
  taken: number
  readonly waiting: ((leave: () => void) => void)[]
}

export function createClientSlots(ofClientMax: number): ClientSlots {
  const clients = new Map<string, Held>()
  return {
    enter: (client) => {
      const held = clients.get(client) ?? { taken: 0, waiting: [] }
      clients.set(client, held)
      const leave = () => {
        const next = held.waiting.shift()
        if (next !== undefined) return next(leave)
        held.taken -= 1
        if (held.taken === 0) clients.delete(client)
      }
      if (held.taken === ofClientMax) return new Promise((resolve) => held.waiting.push(resolve))
      held.taken += 1
      return leave
    },
  }
}
