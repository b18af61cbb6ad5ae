import { useNavigate } from '@tanstack/react-router'
import { pageSizeDefault, pageSizes } from '../format/readSearch.ts'
import styles from './PageSize.module.css'

/** How many rows a page has: the parameter `size` of the URL. The first page follows, as the others would be cut otherwise. */
export function PageSize({ size }: { readonly size: number }) {
  const navigate = useNavigate()
  return (
    <label className={styles.size}>
      Rows
      <select
        className={styles.select}
        value={size}
        onChange={({ currentTarget }) => {
          const chosen = Number(currentTarget.value)
          void navigate({
            to: '.',
            search: (previous: object) => ({
              ...previous,
              size: chosen === pageSizeDefault ? undefined : chosen,
              page: undefined,
            }),
            resetScroll: false,
          })
        }}
      >
        {pageSizes.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  )
}
