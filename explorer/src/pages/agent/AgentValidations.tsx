import { useQuery } from '@tanstack/react-query'
import { agentValidationsQuery } from '../../api/queries.ts'
import type { AgentValidation } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { Hash } from '../../components/Hash.tsx'
import { Listing } from '../../components/Listing.tsx'
import { AttestationLink } from '../../components/RecordLink.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { Time } from '../../components/Time.tsx'
import { localIdOf } from '../../format/localIdOf.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'

interface AgentValidationsProps {
  readonly id: string
  readonly page: number
}

const size = pageSizeDefault

/** The requests for validation of an agent, and the validators' answers. */
export function AgentValidations({ id, page }: AgentValidationsProps) {
  return (
    <Listing
      listed={useQuery(agentValidationsQuery(id, page, size))}
      page={page}
      size={size}
      what="validations"
      empty={<EmptyState title="Nobody was asked to validate this agent">{null}</EmptyState>}
    >
      {(table) => (
        <DataTable
          {...table}
          caption="Validations, newest request first"
          columns={columns}
          rowKey={({ requestHash }) => requestHash}
        />
      )}
    </Listing>
  )
}

const columns: readonly Column<AgentValidation>[] = [
  {
    header: 'Validator',
    width: '12rem',
    characters: 16,
    inCard: 'head',
    cell: ({ validator }) => <Address address={validator} />,
  },
  {
    header: 'Response',
    width: '14rem',
    characters: 18,
    cell: ({ status, response, attestationId }) =>
      status === 'pending' ? (
        'Pending'
      ) : (
        <>
          {response === null ? 'Unreadable' : `${response} of 100`}:{' '}
          <AttestationLink id={attestationId} localId={localIdOf(attestationId)} />
        </>
      ),
  },
  {
    header: 'Tag',
    width: '8rem',
    characters: 10,
    cell: ({ tag }) => <SafeText text={tag} lengthMax={80} />,
  },
  {
    header: 'Request',
    grow: true,
    characters: 24,
    lines: 2,
    cell: ({ requestURI, requestHash }) => (
      <>
        {requestURI !== '' && (
          <div>
            <SafeText text={requestURI} lengthMax={160} />
          </div>
        )}
        <Hash hash={requestHash} what="hash of the request" />
      </>
    ),
  },
  {
    header: 'Asked',
    wide: true,
    width: '9rem',
    align: 'end',
    characters: 12,
    cell: ({ requestedTimestamp }) => <Time seconds={requestedTimestamp} />,
  },
  {
    header: 'Answered',
    inCard: 'corner',
    width: '9rem',
    align: 'end',
    characters: 12,
    cell: ({ respondedTimestamp }) =>
      respondedTimestamp === '' ? 'Not yet' : <Time seconds={respondedTimestamp} />,
  },
]
