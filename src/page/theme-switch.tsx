import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

/** Chooses light or dark; at first the system decides. */
export function ThemeSwitch(): JSX.Element {
  const [theme, setTheme] = useState<'dark' | 'light' | null>(null)
  const isDark = theme === null ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
  const next = isDark ? 'light' : 'dark'
  const toggle = (): void => {
    document.documentElement.dataset['theme'] = next
    setTheme(next)
  }
  return (
    <button
      type="button"
      class="theme"
      onClick={toggle}
      aria-label={`Switch to ${next} colours`}
      title={`Switch to ${next} colours`}
    >
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
        {isDark ? (
          <path d="M10 3v2m0 10v2M3 10h2m10 0h2M5.1 5.1l1.4 1.4m7 7 1.4 1.4m0-9.8-1.4 1.4m-7 7-1.4 1.4M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0" />
        ) : (
          <path d="M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5" />
        )}
      </svg>
    </button>
  )
}
