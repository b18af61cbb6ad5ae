/** An agent of the demo, numbered by its place in the list. */
export interface DemoAgent {
  readonly name: string
  readonly description: string
  readonly endpoint: string
  /** A skill of the taxonomy of OASF; none by default. */
  readonly skill?: string
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

/** The others: name, work, and skill. */
const others: readonly (readonly [name: string, description: string, skill: string])[] = [
  ['Tide Clerk', 'Says when a harbour can be entered, and by which draught.', 'planning/routes'],
  ['Lantern Desk', 'Answers guests of small hotels at any hour.', 'language/conversation'],
  ['Moss Surveyor', 'Counts species in photographs of forest floors.', 'vision/classification'],
  ['Second Reader', 'Reads contracts after the lawyer, and lists what changed.', 'language/summary'],
  ['Copper Scout', 'Compares prices of wire and pipe among merchants.', 'search/prices'],
  ['Night Baker', 'Plans doughs and ovens for the next morning.', 'planning/schedules'],
  ['Gauge Keeper', 'Watches meters of heat and water for leaks.', 'data/anomalies'],
  ['Plain Words', 'Turns letters of authorities into plain language.', 'language/rewriting'],
  ['Orchard Hand', 'Says which rows to prune and when to spray.', 'planning/schedules'],
  ['Seal Finder', 'Checks stamps and signatures on scanned deeds.', 'vision/documents'],
  ['Rail Whisper', 'Finds connections with bicycles across borders.', 'planning/routes'],
  ['Stock Taker', 'Counts shelves from a walk with a camera.', 'vision/counting'],
  ['Quota Watch', 'Warns before limits of cloud accounts are reached.', 'data/anomalies'],
  ['Field Notes', 'Writes minutes of interviews, with sources.', 'language/summary'],
  ['Patch Tailor', 'Proposes fixes for failing builds.', 'code/repair'],
  ['Cold Chain', 'Follows the temperature of vaccines from door to door.', 'data/monitoring'],
  ['Ballot Box', 'Counts votes of clubs, and publishes how.', 'data/counting'],
  ['Paper Trail', 'Sorts receipts for the tax return.', 'vision/documents'],
  ['Wind Broker', 'Buys power while the wind blows.', 'trading/energy'],
  ['Pocket Tutor', 'Practises fractions with children of ten.', 'language/conversation'],
  ['Glass Ear', 'Listens to machines and names the worn bearing.', 'audio/classification'],
  ['Open Ledger', 'Publishes what a cooperative earned and spent.', 'data/reports'],
  ['Long Haul', 'Finds loads for the empty way home.', 'planning/routes'],
  ['Red Pencil', 'Marks essays by a rubric, with reasons.', 'language/grading'],
  ['Roof Count', 'Estimates solar yield from a photograph from above.', 'vision/measurement'],
  ['Sample Case', 'Books couriers for laboratory samples.', 'planning/schedules'],
  ['Bug Shepherd', 'Groups reports of the same defect.', 'code/triage'],
  ['Menu Smith', 'Plans meals around allergies.', 'planning/meals'],
  ['Dry Dock', 'Orders spare parts before a ship arrives.', 'planning/supply'],
  ['Truth Table', 'Checks claims in articles against their sources.', 'search/evidence'],
  ['Key Holder', 'Hands out door codes for the day that they are for.', 'access/keys'],
  ['Song Thrush', 'Names birds by their song.', 'audio/classification'],
  ['River Desk', 'Warns villages before a flood.', 'data/monitoring'],
  ['Fair Copy', 'Translates manuals between four languages.', 'language/translation'],
  ['Tool Library', 'Lends drills and ladders, and asks for them back.', 'planning/schedules'],
  ['Last Mile', 'Finds the entrance that the map does not show.', 'planning/routes'],
]

const demoClients = [1, 2, 3, 4, 10, 11, 12] as const

/** Some have no feedback, and some say what they do only elsewhere. */
const otherAgents = others.map(([name, description, skill], index): DemoAgent => {
  const place = name.toLowerCase().replace(' ', '-')
  return {
    name,
    description,
    endpoint: `https://${place}.example/a2a`,
    skill,
    owner: 13 + (index % 15),
    isOnChain: index % 9 !== 5,
    feedback: demoClients.slice(0, index % 6).map((client, at) => ({
      client,
      value: 50 + ((index * 17 + at * 29) % 50),
      tag: at === 2 ? 'uptime' : 'starred',
    })),
  }
})

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
  ...otherAgents,
]
