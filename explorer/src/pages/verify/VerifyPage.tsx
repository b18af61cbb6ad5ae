import { useQuery } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { type DragEvent, useId, useState } from 'react'
import { verifyOffchainQuery } from '../../api/queries.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { useTitle } from '../../components/useTitle.ts'
import { inputLengthMax, linkInAddress, type OffchainInput, readOffchainInput } from './offchainInput.ts'
import { Verified } from './Verified.tsx'
import styles from './VerifyPage.module.css'

/** Verifies an off-chain attestation: pasted, dropped, from a file, or from the fragment of a shared link. */
export function VerifyPage() {
  useTitle('Verify')
  // A page that is open already gets a new link as another fragment.
  const hash = useRouterState({ select: ({ location }) => location.hash })
  return <VerifyForm key={hash} link={linkInAddress(window.location)} />
}

function VerifyForm({ link }: { readonly link: string }) {
  const [text, setText] = useState(link)
  const [asked, setAsked] = useState<OffchainInput | null>(() =>
    link === '' ? null : readOffchainInput(link),
  )
  const label = useId()
  const mistake = useId()

  async function readFile(file: File | undefined): Promise<void> {
    if (file === undefined) return
    if (file.size > 4 * inputLengthMax) {
      return setAsked({ kind: 'mistake', message: `The file ${file.name} is larger than any attestation.` })
    }
    const content = await file.text()
    setText(content)
    setAsked(readOffchainInput(content))
  }

  function drop(event: DragEvent): void {
    event.preventDefault()
    const { files } = event.dataTransfer
    const dropped = event.dataTransfer.getData('text/plain')
    if (files.length > 0) return void readFile(files[0])
    setText(dropped)
    setAsked(readOffchainInput(dropped))
  }

  return (
    <>
      <PageHeader title="Verify an off-chain attestation">
        An off-chain attestation is a signed text that no contract holds. Whether it holds is computed from
        the text and from what this index knows. Nothing is stored.
      </PageHeader>
      <Card>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault()
            setAsked(readOffchainInput(text))
          }}
        >
          <label htmlFor={label} className={styles.label}>
            The attestation of EAS or BAS, the link that holds it, or the signed body of Sign Protocol: paste
            or drop it
          </label>
          <textarea
            id={label}
            className={styles.text}
            rows={6}
            spellCheck={false}
            value={text}
            aria-invalid={asked?.kind === 'mistake'}
            aria-describedby={mistake}
            onChange={(event) => setText(event.target.value)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={drop}
          />
          <p id={mistake} className={styles.mistake} role="status">
            {asked?.kind === 'mistake' ? asked.message : ''}
          </p>
          <div className={styles.actions}>
            <Button look="primary" submits>
              Verify
            </Button>
            <label className={styles.file}>
              <span>or a file</span>
              <input
                type="file"
                accept=".json,.txt,application/json,text/plain"
                onChange={(event) => void readFile(event.target.files?.[0])}
              />
            </label>
          </div>
        </form>
      </Card>
      <div className={styles.answer} aria-live="polite">
        {asked?.kind === 'body' && <Answer body={asked.body} />}
      </div>
    </>
  )
}

function Answer({ body }: { readonly body: Readonly<Record<string, unknown>> }) {
  const verified = useQuery(verifyOffchainQuery(body))
  if (verified.isError) return <ErrorState error={verified.error} onRetry={() => void verified.refetch()} />
  if (verified.data === undefined) return <SkeletonBlock className={styles.pending} />
  return <Verified verified={verified.data} />
}
