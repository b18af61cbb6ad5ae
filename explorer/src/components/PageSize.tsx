import { useNavigate } from '@tanstack/react-router'
import { pageSizeDefault, pageSizes } from '../format/readSearch.ts'
import styles from './PageSize.module.css'

/**
 * The number of rows of a page: the parameter `size` of the URL. A change leads to the first page, since other pages
 * would begin at another row.
 */
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
