import { Address } from '../../components/Address.tsx'
import { FilterChips, type FilterChip } from '../../components/filters/FilterChips.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { SchemaName } from '../../components/SchemaName.tsx'
import { useChainName, useProtocolName } from '../../components/filters/useChainChoices.ts'
import { formatAbsoluteTime } from '../../format/formatTime.ts'
import { statusFilterOf, statusParameters, type AttestationsSearch } from './attestationsSearch.ts'

export interface AttestationChipsProps {
  readonly search: AttestationsSearch
  readonly narrow: (patch: AttestationsSearch) => void
  readonly onClear: () => void
}

/** The active filters of the list, in words. */
export function AttestationChips({ search, narrow, onClear }: AttestationChipsProps) {
  const names = {
    chainName: useChainName(search.chainId),
    protocolName: useProtocolName(search.protocol),
  }
  return <FilterChips chips={chipsOf(search, narrow, names)} onClear={onClear} />
}

function chipsOf(
  search: AttestationsSearch,
  narrow: (patch: AttestationsSearch) => void,
  { chainName, protocolName }: { readonly chainName: string; readonly protocolName: string },
): readonly FilterChip[] {
  const { keyword, schemaId, attester, recipient, chainId, protocol, linkedAttestation } = search
  const { indexingValue, dataLocation, portal, validAt, attestedFrom, attestedBefore } = search
  const chips: FilterChip[] = []
  const add = (label: string, value: FilterChip['value'], removal: AttestationsSearch) =>
    chips.push({ name: label, label, value, onRemove: () => narrow(removal) })

  if (keyword !== undefined)
    add('Matches', <SafeText text={keyword} lengthMax={80} />, { keyword: undefined })
  if (schemaId !== undefined) add('Schema', <SchemaName id={schemaId} />, { schemaId: undefined })
  // The interface combines a keyword only with a schema, so no other filter applies.
  if (keyword !== undefined) return chips
  if (attester !== undefined)
    add('Attester', <Address address={attester} copyable={false} />, { attester: undefined })
  if (recipient !== undefined)
    add('Recipient', <Address address={recipient} copyable={false} />, { recipient: undefined })
  if (chainId !== undefined) add('Chain', chainName, { chainId: undefined })
  if (protocol !== undefined) add('Protocol', protocolName, { protocol: undefined })
  const status = statusFilterOf(search)
  if (status !== '') add('Status', status, statusParameters(''))
  else if (search.revoked === 'false') add('Revoked', 'no', { revoked: undefined })
  else if (search.expired === 'false') add('Expired', 'no', { expired: undefined })
  if (validAt !== undefined) add('Valid at', formatAbsoluteTime(validAt), { validAt: undefined })
  if (attestedFrom !== undefined) add('From', formatAbsoluteTime(attestedFrom), { attestedFrom: undefined })
  if (attestedBefore !== undefined)
    add('Before', formatAbsoluteTime(attestedBefore), { attestedBefore: undefined })
  if (linkedAttestation !== undefined) add('Refers to', linkedAttestation, { linkedAttestation: undefined })
  if (indexingValue !== undefined)
    add('Indexing value', <SafeText text={indexingValue} lengthMax={80} />, { indexingValue: undefined })
  if (portal !== undefined)
    add('Portal', <Address address={portal} copyable={false} />, { portal: undefined })
  if (dataLocation !== undefined) add('Payload', dataLocation, { dataLocation: undefined })
  return chips
}
