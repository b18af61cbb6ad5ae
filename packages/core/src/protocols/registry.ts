import { protocolNames, type KnownProtocol } from '../model/protocolNames.ts'
import type { ProtocolName } from '../model/records.ts'
import type { ProtocolAdapter } from './protocolAdapter.ts'
import { easAdapter } from './eas/easAdapter.ts'
import { erc8004Adapter } from './erc8004/erc8004Adapter.ts'
import { signAdapter } from './sign/signAdapter.ts'
import { veraxAdapter } from './verax/veraxAdapter.ts'

/** Every protocol that can be indexed. A new one takes one line here, and its name in `protocolNames`. */
const adapters: Readonly<Record<KnownProtocol, ProtocolAdapter>> = {
  sign: signAdapter,
  eas: easAdapter,
  erc8004: erc8004Adapter,
  verax: veraxAdapter,
}

const adaptersByName: ReadonlyMap<ProtocolName, ProtocolAdapter> = new Map(
  protocolNames.map((name) => [name, adapters[name]]),
)

/** The adapter of a protocol; null if no adapter has the name. */
export function findProtocol(name: ProtocolName): ProtocolAdapter | null {
  return adaptersByName.get(name) ?? null
}
