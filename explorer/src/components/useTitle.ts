import { useEffect } from 'react'

const product = 'Attestry'

/** Names the page in the tab; undefined while its name is not known. Text from a chain goes through `plainText` first. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined || title === '' ? product : `${title} · ${product}`
  }, [title])
}
