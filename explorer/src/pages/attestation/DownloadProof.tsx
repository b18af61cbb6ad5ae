import { useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { Icon } from '../../components/Icon.tsx'
import { saveFile } from '../../components/saveFile.ts'
import styles from './DownloadProof.module.css'
import { fetchProof } from '../../api/fetchProof.ts'

/** Fetches the proof of the attestation, which the server makes on demand from the chain, and saves it as a file. */
export function DownloadProof({ id, search }: { readonly id: string; readonly search: string }) {
  const [state, setState] = useState<'idle' | 'loading' | { readonly failure: string }>('idle')
  const download = async () => {
    setState('loading')
    try {
      saveFile(`${id}.proof.json`, await fetchProof(id, search))
      setState('idle')
    } catch (error) {
      setState({ failure: error instanceof Error ? error.message : 'The proof could not be fetched.' })
    }
  }
  return (
    <span className={styles.proof}>
      <Button onClick={() => void download()} disabled={state === 'loading'}>
        <Icon name="download" /> {state === 'loading' ? 'Fetching the proof' : 'Download proof'}
      </Button>
      <span role="status" className={styles.failure}>
        {typeof state === 'object' && state.failure}
      </span>
    </span>
  )
}
