import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Icon } from '../components/Icon.tsx'
import styles from './SearchBox.module.css'

export function SearchBox({ place }: { readonly place: 'header' | 'page' }) {
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  useSlashShortcut(input)
  return (
    <form
      role="search"
      className={styles[place]}
      onSubmit={(event) => {
        event.preventDefault()
        const q = input.current?.value.trim() ?? ''
        void navigate({ to: '/search', search: { q } })
      }}
    >
      <Icon name="search" />
      <input ref={input} type="search" aria-label="Search" placeholder="Search" className={styles.input} />
    </form>
  )
}

/** `/` goes to the search from wherever nothing is being typed. */
function useSlashShortcut(input: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
      const { target } = event
      if (target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]'))
        return
      event.preventDefault()
      input.current?.focus()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [input])
}
