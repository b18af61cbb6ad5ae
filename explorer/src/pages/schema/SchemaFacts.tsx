import type { SchemaDetails } from '../../api/documents.ts'
import { knownName } from '../../api/knownNames.ts'
import type { Schema } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { BlockNumber } from '../../components/BlockNumber.tsx'
import { ChainFact } from '../../components/ChainFact.tsx'
import { Facts } from '../../components/Facts.tsx'
import { NamedBy } from '../../components/NamedBy.tsx'
import { Hash } from '../../components/Hash.tsx'
import { ProtocolLink } from '../../components/ProtocolLink.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { Time } from '../../components/Time.tsx'
import { explorerLink, useChain } from '../../components/useChain.ts'
import { formatCount } from '../../format/formatCount.ts'
import { protocolPage } from '../../format/protocolPage.ts'
import { formatLongDuration } from '../../format/formatTime.ts'

export interface SchemaFactsProps {
  readonly schema: Schema
  /** Undefined while they are not known, and null if they cannot be read. */
  readonly details: SchemaDetails['schema'] | null | undefined
}

const noResolver = /^0x0{40}$/

export function SchemaFacts({ schema, details }: SchemaFactsProps) {
  const { id, chainId, schemaId, registrant, registerTimestamp, revocable, maxValidFor } = schema
  const { context, transactionHash } = schema
  const chain = useChain(chainId)
  const page = protocolPage(schema.protocol, 'schema', { id, chainId, localId: schemaId })
  return (
    <Facts
      facts={[
        knownName(id) !== undefined && { label: 'Named', value: <NamedBy id={id} /> },
        { label: 'Attestations', value: <Count of={details && details.attestationCount} /> },
        { label: 'Attesters', value: <Count of={details && details.attesterCount} /> },
        { label: 'Registrant', value: <Address address={registrant} /> },
        {
          label: 'Resolver',
          value:
            details === undefined ? (
              <Skeleton characters={16} />
            ) : details === null ? (
              'Not known'
            ) : details.resolver === null || noResolver.test(details.resolver) ? (
              'None'
            ) : (
              <Address address={details.resolver} />
            ),
        },
        {
          label: 'Revocable',
          // Only schemas of Verax have a context. They say nothing about revocation: the registry asks the portal.
          value: context !== undefined ? 'As each portal allows' : revocable ? 'Yes' : 'No',
        },
        {
          label: 'Validity',
          value: maxValidFor === 0 ? 'Without limit' : `At most ${formatLongDuration(maxValidFor)}`,
        },
        { label: 'Registered', value: <Time seconds={registerTimestamp} show="both" /> },
        context !== undefined && {
          label: 'Context',
          value: <SafeText text={context} lengthMax={400} expandable />,
        },
        { label: 'Chain and protocol', value: <ChainFact chainId={chainId} protocol={schema.protocol} /> },
        { label: 'Block', value: <BlockNumber chainId={chainId} transactionHash={transactionHash} /> },
        {
          label: 'Transaction',
          value: (
            <Hash
              hash={transactionHash}
              what="transaction hash"
              href={explorerLink(chain, 'transaction', transactionHash)}
              transactionOf={chainId}
            />
          ),
        },
        page !== null && { label: 'Attest at', value: <ProtocolLink page={page} /> },
        { label: 'Id', value: <Hash hash={schemaId} what="local id" /> },
        { label: 'Composite id', value: <Hash hash={id} what="composite id" full /> },
      ]}
    />
  )
}

function Count({ of: count }: { readonly of: number | null | undefined }) {
  if (count === undefined) return <Skeleton characters={5} />
  return count === null ? 'Not known' : formatCount(count)
}
