/** Places for work that holds much memory: of each client so much goes on at a time, and the rest waits in its order. */
export interface ClientPlaces {
  /** Takes a place, at once or when one is free; the function that is returned gives the place back. */
  enter(client: string): (() => void) | Promise<() => void>
}

interface Held {
  taken: number
  readonly waiting: ((leave: () => void) => void)[]
}

export function createClientPlaces(ofClientMax: number): ClientPlaces {
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
