import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Icon } from '../../components/Icon.tsx'
import { saveFile } from '../../components/saveFile.ts'
import { formatCount, formatQuantity } from '../../format/formatCount.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import type { GateQuestion } from './GateAnswer.tsx'
import {
  addressesMax,
  readAddressList,
  readTextFile,
  writeVerdicts,
  type AddressList,
} from './addressList.ts'
import styles from './GatePage.module.css'

/** The verdicts of a policy on a file of addresses, as a file. */
export function ManyAddresses({ policy, asOf }: Omit<GateQuestion, 'address'>) {
  const [list, setList] = useState<AddressList>()
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: (subjects: readonly string[]) =>
      api.post('/scan/gate', { policy, subjects: [...subjects], ...withoutAbsent({ asOf }) }),
  })
  const addresses = list?.addresses ?? []
  const isTooLong = addresses.length > addressesMax
  return (
    <Card title="Many addresses">
      <div className={styles.form}>
        <p className={styles.quiet}>
          Choose a CSV file, or a list with one address a line: up to {formatCount(addressesMax)} addresses.
          The verdicts come as a CSV file.
        </p>
        <label className={styles.file}>
          <span className="visuallyHidden">A file of addresses</span>
          <input
            type="file"
            accept=".csv,.txt,.tsv,text/csv,text/plain"
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0]
              reset()
              setList(undefined)
              if (file !== undefined) void readTextFile(file).then((text) => setList(readAddressList(text)))
            }}
          />
        </label>
        {list !== undefined && (
          <p role="status">
            {formatQuantity(addresses.length, 'address', 'addresses')}
            {list.linesWithout > 0 && `, ${formatQuantity(list.linesWithout, 'line')} without one`}
            {isTooLong && `. Split the file: at most ${formatCount(addressesMax)} are judged at once`}
          </p>
        )}
        <div className={styles.actions}>
          <Button
            look="primary"
            disabled={addresses.length === 0 || isTooLong || isPending}
            onClick={() => mutate(addresses)}
          >
            {isPending ? 'Judging …' : 'Judge them'}
          </Button>
          {data !== undefined && (
            <Button
              onClick={() =>
                saveFile('verdicts.csv', new Blob([writeVerdicts(data.rows)], { type: 'text/csv' }))
              }
            >
              <Icon name="download" /> verdicts.csv
            </Button>
          )}
        </div>
        {data !== undefined && <Summary rows={data.rows} />}
        {error !== null && <ErrorState error={error} onRetry={() => mutate(addresses)} />}
      </div>
    </Card>
  )
}

function Summary({ rows }: { readonly rows: readonly { readonly verdict: string }[] }) {
  const countOf = (verdict: string) => formatCount(rows.filter((row) => row.verdict === verdict).length)
  return (
    <p role="status">
      {countOf('allow')} pass, {countOf('deny')} do not pass, {countOf('unknown')} not known
    </p>
  )
}
