import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { agentReputationQuery, policiesQuery } from '../../api/queries.ts'
import type { Agent, AgentReputation } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Select } from '../../components/filters/Select.tsx'
import plain from '../../components/plainTable.module.css'
import { SafeText } from '../../components/SafeText.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { formatCount, formatQuantity } from '../../format/formatCount.ts'
import styles from './AgentPage.module.css'

const route = getRouteApi('/agent/$id')

/** The average of the feedback for an agent by its first tag, of all clients or of those that a policy lets through. */
export function AgentScores({ agent }: { readonly agent: Agent }) {
  const { id } = route.useParams()
  const { by } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: policies } = useQuery(policiesQuery())
  const { data, error, refetch } = useQuery(agentReputationQuery(id, by))
  if (agent.feedbackCount === 0) return null
  const names = (policies?.rows ?? []).map(({ name }) => name)
  const known = by === undefined || names.includes(by) ? names : [by, ...names]
  return (
    <Card
      title="Scores by tag"
      flush
      actions={
        known.length > 0 && (
          <Select
            aria-label="Clients that count"
            value={by ?? ''}
            choices={[
              { value: '', label: 'All clients' },
              ...known.map((name) => ({ value: name, label: `Clients that pass ${name}` })),
            ]}
            onChange={(name) =>
              void navigate({
                search: (earlier) => ({ ...earlier, by: name === '' ? undefined : name, page: undefined }),
                resetScroll: false,
              })
            }
          />
        )
      }
    >
      {data !== undefined ? (
        <Scores reputation={data} />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <div aria-busy="true">
          <SkeletonBlock className={styles.pendingScores} />
        </div>
      )}
    </Card>
  )
}

function Scores({ reputation }: { readonly reputation: AgentReputation }) {
  const { by } = reputation
  const { tags, count, reviewerCount } = by ?? reputation
  return (
    <>
      <p className={styles.scored}>
        {formatQuantity(count, 'feedback', 'feedback')} of {formatQuantity(reviewerCount, 'client')}
        {by === null
          ? '. Anybody may give feedback under any number of keys.'
          : `; left out: ${formatCount(by.leftOut)} of clients that do not pass, ${formatCount(by.unknown)} of clients that are not known.`}
      </p>
      {tags.length > 0 && (
        <table className={plain.table}>
          <caption className="visuallyHidden">Scores by tag</caption>
          <thead>
            <tr>
              <th scope="col">Tag</th>
              <th scope="col" className={styles.end}>
                Average
              </th>
              <th scope="col" className={styles.end}>
                Feedback
              </th>
            </tr>
          </thead>
          <tbody>
            {tags.map(({ tag, average, count: given }) => (
              <tr key={tag}>
                <th scope="row">
                  {tag === '' ? <em className={plain.unnamed}>no tag</em> : <TagLink tag={tag} />}
                </th>
                <td className={styles.end}>{average}</td>
                <td className={styles.end}>{formatCount(given)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

/** A first tag; narrows the feedback of the page to it. */
export function TagLink({ tag }: { readonly tag: string }) {
  return (
    <Link
      from="/agent/$id"
      to="."
      search={(earlier) => ({ ...earlier, tag, tab: undefined, page: undefined })}
      resetScroll={false}
    >
      <SafeText text={tag} lengthMax={80} />
    </Link>
  )
}
