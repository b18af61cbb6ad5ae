import { useEffect } from 'react'

const product = 'Attestry'

/**
 * Names the page in the tab; undefined while its name is unknown. Text from a chain must go through `plainText` first.
 */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined || title === '' ? product : `${title} · ${product}`
  }, [title])
}
