import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { AttestryError } from '@attestry/client/attestryError.ts'
import { schemaActivityQuery, schemaDetailsQuery, schemaQuery } from '../../api/queries.ts'
import type { Schema } from '../../api/types.ts'
import { ActivityCard } from '../../components/ActivityCard.tsx'
import { buttonClass } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { RecordPending } from '../../components/RecordLayout.tsx'
import { RecordMissing } from '../../components/RecordMissing.tsx'
import { SafeText, TextWarnings } from '../../components/SafeText.tsx'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { WhenNear } from '../../components/WhenNear.tsx'
import { Sliced } from '../../components/Sliced.tsx'
import { useProtocol } from '../../components/useProtocol.ts'
import { useTitle } from '../../components/useTitle.ts'
import { plainText } from '../../format/inspectText.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { shortenMiddle } from '../../format/shortenMiddle.ts'
import { ruleUnder } from '../gate/gateSearch.ts'
import { Definition } from './Definition.tsx'
import { FieldCards } from './FieldCards.tsx'
import { Namesakes } from './Namesakes.tsx'
import { SchemaAttestations } from './SchemaAttestations.tsx'
import { SchemaFacts } from './SchemaFacts.tsx'
import styles from './SchemaPage.module.css'
import { TopAccounts } from './TopAccounts.tsx'
import { TopRecipients } from './TopRecipients.tsx'
import { useFieldFilters } from './useFieldFilters.ts'

/** One schema: its fields, its registrant, its use, and its attestations. */
export function SchemaPage() {
  const { id } = useParams({ from: '/schema/$id' })
  const protocol = useProtocol()
  const { data: schema, error, refetch } = useQuery(schemaQuery(id, protocol))
  useTitle(titleOf(id, schema))
  if (error !== null && (schema === undefined || (error instanceof AttestryError && error.status === 404)))
    return <RecordMissing what="schema" id={id} error={error} onRetry={() => void refetch()} />
  return (
    <Sliced>{schema === undefined ? <RecordPending what="schema" /> : <Loaded schema={schema} />}</Sliced>
  )
}

const series = [{ label: 'Attestations', count: (row: { attestationCount: number }) => row.attestationCount }]

function Loaded({ schema }: { readonly schema: Schema }) {
  const { id, chainId, schemaId, name, description } = schema
  const protocol = useProtocol()
  const details = useQuery(schemaDetailsQuery(id, protocol))
  const known = details.data === undefined && details.isError ? null : details.data
  const activity = useQuery(schemaActivityQuery(id, protocol))
  const top = details.data?.topAttesters?.map(({ address }) => address) ?? []
  // Nobody has attested yet: whoever laid the schema down may.
  const attesters = top.length > 0 ? top : [schema.registrant]
  return (
    <>
      <article className={styles.page}>
        <div>
          <PageHeader
            kind={
              <span className={styles.kind}>
                Schema <ChainBadge chainId={chainId} protocol={schema.protocol} />
              </span>
            }
            title={
              name === '' ? (
                <>Unnamed schema {shortenMiddle(schemaId, 8, 4)}</>
              ) : (
                <SafeText text={name} lengthMax={160} />
              )
            }
            actions={
              <>
                <Link to="/stats" search={{ schemaId: schema.id, protocol }} className={buttonClass()}>
                  Statistics
                </Link>
                <Link
                  to="/gate"
                  search={{ rule: ruleUnder(schema.id, attesters, protocol) }}
                  className={buttonClass()}
                >
                  Check an address
                </Link>
              </>
            }
          >
            {description !== '' && <SafeText text={description} lengthMax={400} expandable multiline />}
            <Namesakes schema={schema} />
          </PageHeader>
          <TextWarnings text={`${name}\n${description.slice(0, 2000)}`} />
        </div>
        <div className={styles.parts}>
          <div className={styles.main}>
            <Definition fields={schema.data} raw={details.data?.originalData ?? null} />
            <ActivityCard
              title="Attestations per day"
              activity={activity}
              series={series}
              empty="Nothing has been attested under this schema yet."
            />
          </div>
          <div className={styles.list}>
            <SchemaAttestations schema={schema} />
          </div>
          <div className={styles.side}>
            <Card title="Details" flush>
              <SchemaFacts schema={schema} details={known} />
            </Card>
          </div>
          <div className={styles.cards}>
            <WhenNear title="Top attesters, top recipients and values">
              <TopAccounts
                title="Top attesters"
                none="No attester yet"
                accounts={details.data === null ? [] : (details.data?.topAttesters ?? undefined)}
                total={details.data?.attestationCount ?? 0}
                error={details.error}
                onRetry={() => void details.refetch()}
              />
              <TopRecipients schemaId={id} protocol={protocol} total={known && known.attestationCount} />
              <FieldCards schema={schema} total={details.data?.attestationCount ?? undefined} />
            </WhenNear>
          </div>
        </div>
      </article>
      <SchemaCode id={id} protocol={protocol} />
    </>
  )
}

interface SchemaCodeProps {
  readonly id: string
  readonly protocol: string | undefined
}

/** Code for the schema and for the listed attestations under it. */
function SchemaCode({ id, protocol }: SchemaCodeProps) {
  const { filters } = useFieldFilters()
  return (
    <UseFromCode
      question={{
        kind: 'attestations',
        filter: withoutAbsent({ schemaId: id, protocol }),
        fields: filters,
      }}
    />
  )
}

function titleOf(id: string, schema: Schema | undefined): string {
  if (schema === undefined || schema.name === '') return `Schema ${shortenMiddle(localIdOf(id), 8, 6)}`
  return plainText(schema.name, 80)
}
