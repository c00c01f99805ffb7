/** A file or folder of the package that is copied below the workspace. */
export interface InstalledCopy {
  /** Absolute path. */
  readonly from: string
  readonly to: string
  /** Entries at the folder's top that are left out. */
  readonly exclude: readonly string[]
  /** Whether it may be empty or missing. @default false */
  readonly optional?: boolean
}
