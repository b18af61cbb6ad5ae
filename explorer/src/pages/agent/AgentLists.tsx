import { useQuery } from '@tanstack/react-query'
import {
  addressStatisticsQuery,
  agentFeedbackQuery,
  agentHistoryQuery,
  agentResponsesQuery,
} from '../../api/queries.ts'
import type { AgentChange, AgentFeedback as Feedback, AgentResponse } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { AgentAccount } from '../../components/AgentLink.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { Hash } from '../../components/Hash.tsx'
import { Listing } from '../../components/Listing.tsx'
import { AttestationLink } from '../../components/RecordLink.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { Time } from '../../components/Time.tsx'
import { explorerLink, useChain } from '../../components/useChain.ts'
import { formatCount } from '../../format/formatCount.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'

interface ListProps {
  readonly id: string
  readonly page: number
}

const size = pageSizeDefault

/** Clients' feedback on an agent, with the records that each client has made and received elsewhere. */
export function AgentFeedback({ id, page }: ListProps) {
  return (
    <Listing
      listed={useQuery(agentFeedbackQuery(id, page, size))}
      page={page}
      size={size}
      what="feedback"
      empty={<EmptyState title="No client has given feedback">{null}</EmptyState>}
    >
      {(table) => (
        <DataTable
          {...table}
          caption="Feedback, newest first"
          columns={feedbackColumns}
          rowKey={(row) => row.id}
          tableWidthMin={70}
        />
      )}
    </Listing>
  )
}

/** Responses to its feedback. */
export function AgentResponses({ id, page }: ListProps) {
  return (
    <Listing
      listed={useQuery(agentResponsesQuery(id, page, size))}
      page={page}
      size={size}
      what="responses"
      empty={<EmptyState title="Nobody has responded to feedback">{null}</EmptyState>}
    >
      {(table) => (
        <DataTable
          {...table}
          caption="Responses, newest first"
          columns={responseColumns}
          rowKey={(_, index) => index}
        />
      )}
    </Listing>
  )
}

/** The events of an agent in the registry of identities. */
export function AgentHistory({ id, chainId, page }: ListProps & { readonly chainId: string }) {
  return (
    <Listing
      listed={useQuery(agentHistoryQuery(id, page, size))}
      page={page}
      size={size}
      what="changes"
      empty={<EmptyState title="No event of this agent is indexed">{null}</EmptyState>}
    >
      {(table) => (
        <DataTable
          {...table}
          rows={table.rows?.map((row) => ({ ...row, chainId }))}
          caption="Changes, newest first"
          columns={changeColumns}
          rowKey={(_, index) => index}
        />
      )}
    </Listing>
  )
}

/** The client's records other than this feedback. */
function Standing({ address }: { readonly address: string }) {
  const { data, isError } = useQuery(addressStatisticsQuery(address))
  if (isError) return <>Not known</>
  if (data === undefined) return <Skeleton characters={16} />
  return (
    <>
      Made {formatCount(data.attestationCreated)}, received {formatCount(data.attestationReceived)}
    </>
  )
}

const feedbackColumns: readonly Column<Feedback>[] = [
  {
    header: 'Client',
    width: '12rem',
    characters: 16,
    inCard: 'head',
    cell: ({ attester }) => <Address address={attester} />,
  },
  {
    header: 'Its attestations',
    width: '13rem',
    characters: 18,
    cell: ({ attester }) => <Standing address={attester} />,
  },
  {
    header: 'Value',
    width: '8rem',
    align: 'end',
    characters: 5,
    cell: ({ value }) => (value === null ? 'Unreadable' : <SafeText text={value} lengthMax={40} />),
  },
  {
    header: 'Tags',
    grow: true,
    shares: true,
    characters: 14,
    cell: ({ tag1, tag2, eas }) => (
      <>
        <SafeText text={[tag1, tag2].filter((tag) => tag !== '').join(', ')} lengthMax={80} />
        {eas !== null && <div>{easWords(eas)}</div>}
      </>
    ),
  },
  {
    header: 'Feedback',
    width: '9rem',
    characters: 8,
    cell: ({ id, attestationId }) => <AttestationLink id={id} localId={attestationId} />,
  },
  {
    header: 'Status',
    inCard: 'bare',
    width: '7rem',
    characters: 6,
    cell: ({ revoked }) => (revoked ? 'Revoked' : 'Valid'),
  },
  {
    header: 'Responses',
    inCard: 'hidden',
    width: '7rem',
    align: 'end',
    characters: 3,
    cell: (row) => formatCount(row.responseCount),
  },
  {
    header: 'Given',
    inCard: 'corner',
    width: '9rem',
    align: 'end',
    characters: 12,
    cell: ({ attestTimestamp }) => <Time seconds={attestTimestamp} />,
  },
]

/** The state of the EAS attestation that feedback points to. */
function easWords({ id, status, mismatch }: NonNullable<Feedback['eas']>) {
  return (
    <>
      {id === '' ? null : (
        <>
          <AttestationLink id={id} localId={localIdOf(id)} protocol="eas" />:{' '}
        </>
      )}
      {mismatch === '' ? status : <SafeText text={`${status}; ${mismatch}`} lengthMax={200} />}
    </>
  )
}

const responseColumns: readonly Column<AgentResponse>[] = [
  {
    header: 'Responder',
    width: '12rem',
    characters: 16,
    inCard: 'head',
    cell: ({ responder }) => <Address address={responder} />,
  },
  {
    header: 'To feedback of',
    width: '12rem',
    characters: 16,
    cell: ({ client }) => <Address address={client} />,
  },
  {
    header: 'Feedback',
    width: '9rem',
    characters: 8,
    cell: ({ feedbackId }) => <AttestationLink id={feedbackId} localId={localIdOf(feedbackId)} />,
  },
  {
    header: 'Response',
    grow: true,
    characters: 20,
    cell: ({ responseURI }) => <SafeText text={responseURI} lengthMax={160} />,
  },
  {
    header: 'Given',
    width: '9rem',
    align: 'end',
    characters: 12,
    cell: ({ timestamp }) => <Time seconds={timestamp} />,
  },
]

type ChangeOnChain = AgentChange & { readonly chainId: string }

const changeNames = {
  registered: 'Registered',
  transferred: 'Transferred',
  uriUpdated: 'New registration',
  metadataSet: 'Metadata',
} as const

const changeColumns: readonly Column<ChangeOnChain>[] = [
  {
    header: 'Change',
    width: '10rem',
    characters: 10,
    inCard: 'head',
    cell: ({ change }) => changeNames[change],
  },
  { header: 'What', grow: true, characters: 24, cell: (row) => <ChangeWords change={row} /> },
  {
    header: 'Transaction',
    width: '11rem',
    characters: 12,
    cell: ({ transactionHash, chainId }) => <ChangeTransaction hash={transactionHash} chainId={chainId} />,
  },
  {
    header: 'When',
    width: '9rem',
    align: 'end',
    characters: 12,
    cell: ({ timestamp }) => <Time seconds={timestamp} />,
  },
]

/** Pages of transactions show schemas, attestations and revocations: changes of agents have none. */
function ChangeTransaction({ hash, chainId }: { readonly hash: string; readonly chainId: string }) {
  const href = explorerLink(useChain(chainId), 'transaction', hash)
  return <Hash hash={hash} what="transaction hash" href={href} />
}

function ChangeWords({ change: { change, owner, from, uri, key, value } }: { readonly change: AgentChange }) {
  switch (change) {
    case 'registered':
      return <AgentAccount address={owner} />
    case 'transferred':
      return (
        <>
          From <AgentAccount address={from} /> to <AgentAccount address={owner} />
        </>
      )
    case 'uriUpdated':
      return <SafeText text={uri} lengthMax={160} />
    case 'metadataSet':
      return <SafeText text={`${key}: ${value}`} lengthMax={160} />
  }
}
