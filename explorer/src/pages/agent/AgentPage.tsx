import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { agentQuery } from '../../api/queries.ts'
import type { Agent } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { RawJson } from '../../components/RawJson.tsx'
import { RecordLayout, RecordPending } from '../../components/RecordLayout.tsx'
import { RecordMissing } from '../../components/RecordMissing.tsx'
import { SafeText, TextWarnings } from '../../components/SafeText.tsx'
import { Sliced } from '../../components/Sliced.tsx'
import { Tabs } from '../../components/Tabs.tsx'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { useTitle } from '../../components/useTitle.ts'
import { plainText } from '../../format/inspectText.ts'
import { AgentFacts } from './AgentFacts.tsx'
import { AgentFeedback, AgentResponses } from './AgentLists.tsx'
import styles from './AgentPage.module.css'
import { AgentScores } from './AgentScores.tsx'
import { AgentTimeline } from './AgentTimeline.tsx'
import { AgentValidations } from './AgentValidations.tsx'
import { AgentWords } from './AgentWords.tsx'

const route = getRouteApi('/agent/$id')

/** One agent: its owner, what it says of itself, what clients say of it, and its history. */
export function AgentPage() {
  const { id } = route.useParams()
  const { data: agent, error, refetch } = useQuery(agentQuery(id))
  useTitle(agent === undefined ? `Agent ${plainText(id, 40)}` : plainText(titleOf(agent), 80))
  if (error !== null && agent === undefined)
    return <RecordMissing what="agent" id={id} error={error} onRetry={() => void refetch()} />
  return <Sliced>{agent === undefined ? <RecordPending what="agent" /> : <Loaded agent={agent} />}</Sliced>
}

function Loaded({ agent }: { readonly agent: Agent }) {
  const { chainId, name, description } = agent
  const { id } = route.useParams()
  const { tab, page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <article className={styles.page}>
        <div>
          <PageHeader
            kind={
              <span className={styles.kind}>
                Agent <ChainBadge chainId={chainId} />
              </span>
            }
            title={name === '' ? titleOf(agent) : <SafeText text={name} lengthMax={160} />}
          >
            {description !== '' && <SafeText text={description} lengthMax={400} expandable multiline />}
          </PageHeader>
          <TextWarnings text={`${name}\n${description.slice(0, 2000)}`} />
        </div>
        <RecordLayout
          main={
            <div className={styles.words}>
              <AgentScores agent={agent} />
              <AgentWords agent={agent} />
            </div>
          }
          side={
            <Card title="Details" flush>
              <AgentFacts agent={agent} />
            </Card>
          }
        />
        <Card title="Records" flush>
          <Tabs
            label="Records of the agent"
            tabs={[
              { name: 'feedback', label: 'Feedback', count: agent.feedbackCount },
              { name: 'responses', label: 'Responses', count: agent.responseCount },
              { name: 'validations', label: 'Validations' },
              { name: 'history', label: 'History', count: agent.versionCount },
            ]}
            value={tab ?? 'feedback'}
            onChange={(chosen) =>
              void navigate({
                search: (earlier) => ({
                  ...earlier,
                  tab: chosen === 'feedback' ? undefined : chosen,
                  page: undefined,
                }),
                resetScroll: false,
              })
            }
          >
            {tab === 'responses' ? (
              <AgentResponses id={id} page={page} />
            ) : tab === 'validations' ? (
              <AgentValidations id={id} page={page} />
            ) : tab === 'history' ? (
              <AgentTimeline id={id} chainId={chainId} page={page} />
            ) : (
              <AgentFeedback id={id} page={page} />
            )}
          </Tabs>
        </Card>
        {agent.registration !== null && (
          <RawJson
            title="Registration file"
            value={agent.registration}
            path={`/scan/agents/${encodeURIComponent(agent.id)}`}
          />
        )}
      </article>
      <UseFromCode question={{ kind: 'agent', id }} />
    </>
  )
}

function titleOf({ name, agentId }: Agent): string {
  return name === '' ? `Unnamed agent ${agentId}` : name
}
