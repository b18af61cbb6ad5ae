import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { addressStatisticsQuery, agentFeedbackQuery, agentResponsesQuery } from '../../api/queries.ts'
import type { AgentFeedback as Feedback, AgentResponse } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { FilterChips } from '../../components/filters/FilterChips.tsx'
import { Listing } from '../../components/Listing.tsx'
import { AttestationLink } from '../../components/RecordLink.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { Time } from '../../components/Time.tsx'
import { formatCount } from '../../format/formatCount.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import styles from './AgentPage.module.css'
import { TagLink } from './AgentScores.tsx'
import type { AgentSearch } from './agentSearch.ts'

const route = getRouteApi('/agent/$id')

interface ListProps {
  readonly id: string
  readonly page: number
}

const size = pageSizeDefault

/** Clients' feedback on an agent, with the records that each client has made and received elsewhere. */
export function AgentFeedback({ id, page }: ListProps) {
  const { by, tag } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = withoutAbsent({ by, tag1: tag })
  const narrow = (patch: AgentSearch) =>
    void navigate({ search: (earlier) => ({ ...earlier, ...patch, page: undefined }), resetScroll: false })
  const remove = { by: () => narrow({ by: undefined }), tag: () => narrow({ tag: undefined }) }
  return (
    <>
      <div className={styles.filters}>
        <FilterChips
          chips={[
            ...(by === undefined
              ? []
              : [
                  {
                    name: 'by',
                    label: 'Clients that pass',
                    value: <SafeText text={by} />,
                    onRemove: remove.by,
                  },
                ]),
            ...(tag === undefined
              ? []
              : [{ name: 'tag', label: 'Tag', value: <SafeText text={tag} />, onRemove: remove.tag }]),
          ]}
          onClear={() => narrow({ by: undefined, tag: undefined })}
        />
      </div>
      <Listing
        listed={useQuery(agentFeedbackQuery(id, filter, page, size))}
        question={filter}
        page={page}
        size={size}
        what="feedback"
        empty={
          <EmptyState
            title={
              by === undefined && tag === undefined
                ? 'No client has given feedback'
                : 'No feedback passes these filters'
            }
          >
            {null}
          </EmptyState>
        }
      >
        {(table) => (
          <DataTable
            {...table}
            caption="Feedback, newest first"
            columns={feedbackColumns}
            rowKey={(row) => row.id}
          />
        )}
      </Listing>
    </>
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
    wide: true,
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
      <div className={styles.tags}>
        {tag1 !== '' && <TagLink tag={tag1} />}
        {tag1 !== '' && tag2 !== '' && ', '}
        <SafeText text={tag2} lengthMax={80} />
        {eas !== null && <div>{easWords(eas)}</div>}
      </div>
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
    wide: true,
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
