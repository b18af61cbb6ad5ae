import type { FindAsker } from '@attestry/core/shares/askers.ts'
import type { FindKey } from '../access/apiKeys.ts'
import type { Clients } from './clients.ts'

/** Tells clients apart as limits of rates do: by their key, else by their address. */
export function createFindAsker(clients: Pick<Clients, 'of'>, findKey: FindKey): FindAsker {
  return (request) => {
    const key = findKey(request)
    return key === null
      ? { name: clients.of(request), hasKey: false }
      : { name: `key ${key.name}`, hasKey: true }
  }
}
