import { useRouterState } from '@tanstack/react-router'
import { type DragEvent, useId, useMemo, useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { useTitle } from '../../components/useTitle.ts'
import { OffchainAnswer } from './OffchainAnswer.tsx'
import {
  describeOther,
  isStateProof,
  proofLengthMax,
  isRecordProof,
  linkInAddress,
  type PrivateInput,
  readPrivateInput,
  readUid,
  readVerdict,
} from './offchainInput.ts'
import { UidAnswer } from './UidAnswer.tsx'
import { ProofAnswer } from './ProofAnswer.tsx'
import { StateProofAnswer } from './StateProofAnswer.tsx'
import { PrivateAnswer } from './PrivateAnswer.tsx'
import { VerdictAnswer } from './VerdictAnswer.tsx'
import { verifyExamples } from './verifyExamples.ts'
import styles from './VerifyPage.module.css'

/** Verifies an off-chain attestation or a proof of a record: pasted, dropped, from a file, or from the fragment of a shared link. */
export function VerifyPage() {
  useTitle('Verify')
  // A page that is open already gets a new link as another fragment.
  const hash = useRouterState({ select: ({ location }) => location.hash })
  return <VerifyForm key={hash} link={linkInAddress(window.location)} />
}

/** The last question. */
type Asked =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'mistake'; readonly message: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'uid'; readonly uid: string }
  | { readonly kind: 'private'; readonly input: PrivateInput }
  | { readonly kind: 'proof' | 'stateProof'; readonly text: string }
  | { readonly kind: 'verdict'; readonly token: string }
  | { readonly kind: 'other'; readonly words: string }

/** Also after each change of the form, which then asks another question. */
const nothing: Asked = { kind: 'nothing' }

function VerifyForm({ link }: { readonly link: string }) {
  const [text, setText] = useState(link)
  const [holder, setHolder] = useState('')
  const [asked, setAsked] = useState<Asked>(link === '' ? nothing : ask(link, ''))
  const label = useId()
  const mistake = useId()
  const holderLabel = useId()
  const proof = useMemo(() => readPrivateInput(text), [text])

  function take(content: string): void {
    setText(content)
    // A proof without the id of its attestation waits for it.
    setAsked(readPrivateInput(content)?.attestationId === '' ? nothing : ask(content, ''))
  }

  async function readFile(file: File | undefined): Promise<void> {
    if (file === undefined) return
    if (file.size > proofLengthMax) {
      return setAsked({
        kind: 'mistake',
        message: `The file ${file.name} is larger than any attestation or proof.`,
      })
    }
    take(await file.text())
  }

  function drop(event: DragEvent): void {
    event.preventDefault()
    const { files } = event.dataTransfer
    if (files.length > 0) void readFile(files[0])
    else take(event.dataTransfer.getData('text/plain'))
  }

  return (
    <>
      <PageHeader title="Verify an attestation, a proof or a verdict">
        An off-chain attestation is a signed text that no contract holds; a proof shows that a contract holds
        one. Whether they hold is computed in this browser, and from what this index knows. Nothing is stored.
      </PageHeader>
      <Card>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault()
            setAsked(ask(text, holder))
          }}
        >
          <label htmlFor={label} className={styles.label}>
            The attestation of EAS or BAS, the link that holds it, the signed body of Sign Protocol, a
            downloaded proof of a record, a proof of private data, or a signed verdict: paste or drop it
          </label>
          <textarea
            id={label}
            className={styles.text}
            rows={6}
            spellCheck={false}
            value={text}
            aria-invalid={asked.kind === 'mistake'}
            aria-describedby={mistake}
            enterKeyHint="go"
            onChange={(event) => {
              setText(event.target.value)
              setAsked(nothing)
            }}
            onKeyDown={(event) => {
              // Pasted text brings its own line breaks; Shift and Enter add one.
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
              event.preventDefault()
              event.currentTarget.form?.requestSubmit()
            }}
            onDragOver={(event) => event.preventDefault()}
            onDrop={drop}
          />
          {proof?.attestationId === '' && (
            <>
              <label htmlFor={holderLabel} className={styles.label}>
                This is a proof of private data. The id of the attestation that holds their root:
              </label>
              <input
                id={holderLabel}
                className={styles.text}
                value={holder}
                placeholder="onchain_evm_…"
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => {
                  setHolder(event.target.value)
                  setAsked(nothing)
                }}
              />
            </>
          )}
          <p id={mistake} className={styles.mistake} role="status">
            {asked.kind === 'mistake' ? asked.message : ''}
          </p>
          <div className={styles.actions}>
            <Button look="primary" submits>
              Verify
            </Button>
            <label className={styles.file}>
              <span>or a file</span>
              <input
                type="file"
                accept=".json,.txt,.jws,application/json,text/plain"
                onChange={(event) => void readFile(event.target.files?.[0])}
              />
            </label>
          </div>
        </form>
        <Examples onChoose={take} />
      </Card>
      <div className={styles.answer} aria-live="polite">
        {asked.kind === 'text' && <OffchainAnswer key={asked.text} text={asked.text} />}
        {asked.kind === 'proof' && <ProofAnswer key={asked.text} text={asked.text} />}
        {asked.kind === 'stateProof' && <StateProofAnswer key={asked.text} text={asked.text} />}
        {asked.kind === 'other' && (
          <EmptyState title="This page does not check it" icon="info">
            <p>{asked.words}</p>
          </EmptyState>
        )}
        {asked.kind === 'verdict' && <VerdictAnswer key={asked.token} token={asked.token} />}
        {asked.kind === 'uid' && <UidAnswer uid={asked.uid} />}
        {asked.kind === 'private' && <PrivateAnswer input={asked.input} />}
      </div>
      <UseFromCode question={{ kind: 'verify' }} />
    </>
  )
}

function Examples({ onChoose }: { readonly onChoose: (text: string) => void }) {
  return (
    <div className={styles.examples} role="group" aria-label="Examples">
      <span>Nothing at hand? Try</span>
      {verifyExamples.map(({ label, text }) => (
        <Button key={label} onClick={() => onChoose(text)}>
          {label}
        </Button>
      ))}
    </div>
  )
}

function ask(text: string, holder: string): Asked {
  if (text.trim() === '') {
    return { kind: 'mistake', message: 'Paste an attestation or a link, or choose a file.' }
  }
  const token = readVerdict(text)
  if (token !== null) return { kind: 'verdict', token }
  if (isRecordProof(text)) return { kind: 'proof', text }
  if (isStateProof(text)) return { kind: 'stateProof', text }
  const words = describeOther(text)
  if (words !== null) return { kind: 'other', words }
  const uid = readUid(text)
  if (uid !== null) return { kind: 'uid', uid }
  const input = readPrivateInput(text)
  if (input === null) return { kind: 'text', text }
  const attestationId = input.attestationId === '' ? holder.trim() : input.attestationId
  if (attestationId !== '') return { kind: 'private', input: { ...input, attestationId } }
  return { kind: 'mistake', message: 'Name the attestation that holds the root of these private data.' }
}
