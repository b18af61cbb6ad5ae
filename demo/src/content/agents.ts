/** An agent of the demo, numbered by its place in the list. */
export interface DemoAgent {
  readonly name: string
  readonly description: string
  readonly endpoint: string
  /** An account of the demo. */
  readonly owner: number
  /** Whether its URI holds the registration; otherwise the URI points elsewhere. */
  readonly isOnChain: boolean
  /** At most one of each client. */
  readonly feedback: readonly DemoFeedback[]
}

export interface DemoFeedback {
  /** An account of the demo, not the owner. */
  readonly client: number
  readonly value: number
  readonly tag: string
}

const starred = (client: number, value: number): DemoFeedback => ({ client, value, tag: 'starred' })

export const demoAgents: readonly DemoAgent[] = [
  {
    name: 'Ledger Reader',
    description: 'Reads the books of a company and finds what does not add up.',
    endpoint: 'https://ledger-reader.example/a2a',
    owner: 5,
    isOnChain: true,
    feedback: [starred(1, 92), starred(2, 88), starred(6, 15), { client: 7, value: 99, tag: 'uptime' }],
  },
  {
    name: 'Port Pilot',
    description: 'Books berths and tugs for arriving ships.',
    endpoint: 'https://port-pilot.example/a2a',
    owner: 6,
    isOnChain: true,
    feedback: [starred(8, 75), starred(9, 80)],
  },
  {
    name: 'Quiet Courier',
    description: 'Carries parcels between lockers at night.',
    endpoint: 'https://quiet-courier.example/a2a',
    owner: 7,
    isOnChain: false,
    feedback: [starred(1, 60)],
  },
  {
    name: 'Grain Watcher',
    description: 'Looks at fields from above and says when to harvest.',
    endpoint: 'https://grain-watcher.example/a2a',
    owner: 8,
    isOnChain: true,
    feedback: [],
  },
]
