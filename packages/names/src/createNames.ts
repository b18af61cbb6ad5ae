import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { foldText } from '@attestry/core/model/foldText.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import type { KnownName, KnownNames, NamedId } from '@attestry/core/model/knownNames.ts'
import type { Ens } from './createEns.ts'

/** Names of the operator's labels, before those of ENS. */
export function createNames(labels: readonly NamedId[], ens: Ens | null): KnownNames {
  const byId = new Map(labels.map((label): [string, KnownName] => [label.id.toLowerCase(), withoutId(label)]))
  const folded = labels.map((label) => ({ label, text: foldText(label.name) }))
  return {
    change: ens !== null,
    find(id) {
      const key = id.toLowerCase()
      const label = byId.get(key)
      const address = label === undefined && ens !== null ? parseAddress(key) : null
      const name = address === null ? null : ens?.known(address)
      return name ? { ...ensName, name } : label
    },
    async search(text) {
      const sought = foldText(text)
      const found = folded.filter((each) => each.text.includes(sought)).map(({ label }) => label)
      const address = (await ens?.resolve(text)) ?? null
      return address === null ? found : [{ id: checksumAddress(address), ...ensName, name: text }, ...found]
    },
    findOfEns: async (addresses) => (await ens?.findNames(addresses)) ?? new Map(),
  }
}

const ensName = { link: null, source: 'ens' }

function withoutId({ name, link, source }: NamedId): KnownName {
  return { name, link, source }
}
