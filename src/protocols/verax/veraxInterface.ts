import { decodeSubject } from './decodeSubject.ts'
import { veraxAdapter } from './veraxAdapter.ts'

/** What the endpoints that answer as Verax's subgraph does need of Verax. */
export const veraxInterface = { name: veraxAdapter.name, decodeSubject }
