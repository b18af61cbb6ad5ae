import type { RankedSchema } from '../../api/types.ts'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { SchemaLink } from '../../components/RecordLink.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { Sparkline } from '../../components/Sparkline.tsx'
import { formatCount, formatQuantity } from '../../format/formatCount.ts'
import { recordKey } from '../../format/recordKey.ts'
import styles from './RankedSchemaList.module.css'

export interface RankedSchemaListProps {
  /** Undefined while they are not known. */
  readonly schemas: readonly RankedSchema[] | undefined
  /** Attestations of the last 30 days, oldest first; undefined while they are not known. */
  readonly seriesOf: (schema: RankedSchema) => readonly number[] | undefined
}

const rowsMax = 10

/** Ranked schemas, each with a sparkline of its last month and its number of attestations. */
export function RankedSchemaList({ schemas, seriesOf }: RankedSchemaListProps) {
  if (schemas === undefined) {
    return (
      <ol className={styles.list} aria-busy="true">
        {Array.from({ length: rowsMax }, (_, index) => (
          <li key={index} className={styles.schema}>
            <div className={styles.words}>
              <Skeleton characters={22} />
              <Skeleton characters={14} />
            </div>
          </li>
        ))}
      </ol>
    )
  }
  return (
    <ol className={styles.list}>
      {schemas.map((schema, index) => {
        const series = seriesOf(schema)
        return (
          <li key={recordKey(schema)} className={styles.schema}>
            <span className={styles.rank} aria-hidden="true">
              {index + 1}
            </span>
            <div className={styles.words}>
              <span className={styles.name}>
                <SchemaLink
                  id={schema.id}
                  localId={schema.schemaId}
                  name={schema.name}
                  protocol={schema.protocol}
                  strong
                />
              </span>
              <ChainBadge chainId={schema.chainId} protocol={schema.protocol} />
            </div>
            <Sparkline
              values={series ?? []}
              label={
                series === undefined
                  ? 'Attestations of the last 30 days'
                  : `${formatQuantity(
                      series.reduce((sum, value) => sum + value, 0),
                      'attestation',
                    )} in the last 30 days`
              }
            />
            <span className={styles.count} title="Attestations ever made">
              {formatCount(schema.attestationCount)}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
