import type { ProtocolName } from '../model/records.ts'
import type { ProtocolAdapter } from './protocolAdapter.ts'
import { easAdapter } from './eas/easAdapter.ts'
import { signAdapter } from './sign/signAdapter.ts'
import { veraxAdapter } from './verax/veraxAdapter.ts'

/** Every protocol that can be indexed. A new one takes one line here. */
const adapters: readonly ProtocolAdapter[] = [signAdapter, easAdapter, veraxAdapter]

const adaptersByName: ReadonlyMap<ProtocolName, ProtocolAdapter> = new Map(
  adapters.map((adapter) => [adapter.name, adapter]),
)

/** The names by which configurations may speak of protocols, in the order of the registry. */
export const protocolNames: readonly ProtocolName[] = adapters.map((adapter) => adapter.name)

/** The adapter of a protocol; null if no adapter has the name. */
export function findProtocol(name: ProtocolName): ProtocolAdapter | null {
  return adaptersByName.get(name) ?? null
}
