import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { agentQuery } from '../../api/queries.ts'
import type { Attestation } from '../../api/types.ts'
import { AgentLink } from '../../components/AgentLink.tsx'
import { Address } from '../../components/Address.tsx'
import { BlockNumber } from '../../components/BlockNumber.tsx'
import { ChainFact } from '../../components/ChainFact.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Hash } from '../../components/Hash.tsx'
import { AttestationLink, SchemaLink } from '../../components/RecordLink.tsx'
import { ProtocolLink } from '../../components/ProtocolLink.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { Time } from '../../components/Time.tsx'
import { explorerLink, useChain } from '../../components/useChain.ts'
import { shortAgentId } from '../../format/agentId.ts'
import { formatQuantity } from '../../format/formatCount.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { protocolPage } from '../../format/protocolPage.ts'
import { missingTransaction } from '../../format/missingTransaction.ts'
import styles from './AttestationFacts.module.css'

const locations = {
  ONCHAIN: 'On chain',
  ARWEAVE: 'Arweave',
  IPFS: 'IPFS',
  CUSTOM: 'Custom',
  OFFCHAIN: 'On no chain: signed, and stored by this server',
} as const

export function AttestationFacts({ attestation }: { readonly attestation: Attestation }) {
  const { id, attestationId, attester, recipients, schema, chainId, linkedAttestation } = attestation
  const { protocol } = attestation
  const { portal, portalName, portalOwner, portalOwnerName } =
    attestation.mode === 'onchain' ? attestation : noPortal
  const chain = useChain(chainId)
  const agent = recipients.find((recipient) => shortAgentId(recipient) !== recipient)
  const page = protocolPage(protocol, 'attestation', { id, chainId, localId: attestationId })
  return (
    <Facts
      facts={[
        {
          label: 'Schema',
          value: (
            <SchemaLink id={schema.id} localId={schema.schemaId} name={schema.name} protocol={protocol} />
          ),
        },
        { label: 'Attester', value: <Address address={attester} /> },
        {
          label: recipients.length > 1 ? 'Recipients' : 'Recipient',
          value: <Recipients recipients={recipients} />,
        },
        agent !== undefined && { label: 'Agent', value: <NamedAgent id={agent} /> },
        portal !== undefined && {
          label: 'Portal',
          value: (
            <>
              <Link to="/portal/$address" params={{ address: portal }} search={{ chainId }}>
                {portalName === undefined || portalName === '' ? (
                  'All through this portal'
                ) : (
                  <SafeText text={portalName} lengthMax={80} />
                )}
              </Link>{' '}
              <Address address={portal} />
            </>
          ),
        },
        portalOwner !== undefined &&
          portalOwner !== null && {
            label: 'Owner of the portal',
            value: (
              <>
                <SafeText text={portalOwnerName ?? ''} lengthMax={80} /> <Address address={portalOwner} />
              </>
            ),
          },
        { label: 'Attested', value: <Time seconds={attestation.attestTimestamp} show="both" /> },
        {
          label: 'Valid until',
          value:
            attestation.validUntil === '0' ? (
              'No expiry'
            ) : (
              <Time seconds={attestation.validUntil} show="both" />
            ),
        },
        attestation.revokeTimestamp !== null && {
          label: 'Revoked',
          value: <Time seconds={attestation.revokeTimestamp} show="both" />,
        },
        chainId !== '' && {
          label: 'Chain and protocol',
          value: <ChainFact chainId={chainId} protocol={protocol} />,
        },
        attestation.mode === 'offchain' && {
          label: 'Timestamped on chain',
          value:
            attestation.timestampedAt === null ? (
              'Not yet'
            ) : (
              <Time seconds={attestation.timestampedAt} show="both" />
            ),
        },
        attestation.mode === 'offchain' && {
          label: 'Stored here',
          value: <Time seconds={attestation.storedTimestamp} show="both" />,
        },
        attestation.mode === 'offchain' && {
          label: 'Content id',
          value: <Hash hash={attestation.ipfsHash} what="content id" />,
        },
        attestation.mode === 'onchain' && {
          label: 'Block',
          value: missingTransaction(attestation.transactionHash) ?? (
            <BlockNumber chainId={chainId} transactionHash={attestation.transactionHash} />
          ),
        },
        attestation.mode === 'onchain' && {
          label: 'Transaction',
          value: missingTransaction(attestation.transactionHash) ?? (
            <Hash
              hash={attestation.transactionHash}
              what="transaction hash"
              href={explorerLink(chain, 'transaction', attestation.transactionHash)}
              transactionOf={chainId}
            />
          ),
        },
        linkedAttestation !== '' && {
          label: 'Refers to',
          value: (
            <AttestationLink
              id={linkedAttestation}
              localId={localIdOf(linkedAttestation)}
              protocol={protocol}
            />
          ),
        },
        attestation.indexingValue !== '' && {
          label: 'Indexing value',
          value: <SafeText text={attestation.indexingValue} lengthMax={160} expandable />,
        },
        { label: 'Data location', value: locations[attestation.dataLocation] },
        page !== null &&
          !attestation.revoked && { label: 'Revoke it at', value: <ProtocolLink page={page} /> },
        { label: 'Id', value: <Hash hash={attestationId} what="local id" /> },
        { label: 'Composite id', value: <Hash hash={id} what="composite id" full /> },
      ]}
    />
  )
}

/** The agent that feedback or a validation is about. */
function NamedAgent({ id }: { readonly id: string }) {
  const { data } = useQuery(agentQuery(shortAgentId(id)))
  return <AgentLink id={id} name={data?.name ?? ''} />
}

const noPortal = {
  portal: undefined,
  portalName: undefined,
  portalOwner: undefined,
  portalOwnerName: undefined,
} as const

/** Recipients that are shown at first. */
const recipientsShown = 10

function Recipients({ recipients }: { readonly recipients: readonly string[] }) {
  if (recipients.length === 0) return <span className={styles.none}>none named</span>
  const rest = recipients.slice(recipientsShown)
  return (
    <>
      <RecipientList recipients={recipients.slice(0, recipientsShown)} />
      {rest.length > 0 && (
        <details>
          <summary>{formatQuantity(rest.length, 'more recipient')}</summary>
          <RecipientList recipients={rest} />
        </details>
      )}
    </>
  )
}

function RecipientList({ recipients }: { readonly recipients: readonly string[] }) {
  return (
    <ul className={styles.recipients}>
      {recipients.map((recipient, index) => (
        <li key={index}>
          <Address address={recipient} />
        </li>
      ))}
    </ul>
  )
}
