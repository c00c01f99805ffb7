import type { TestSequencer, TestSpecification, Vitest } from 'vitest/node'

/** Makes Vitest start some test files before all others, which keep the order of the configured sequencer. */
export function sortFirst({ config }: Vitest, isFirst: (specification: TestSpecification) => boolean): void {
  const { sequencer: Configured } = config.sequence
  config.sequence.sequencer = class implements TestSequencer {
    readonly #configured: TestSequencer

    constructor(vitest: Vitest) {
      this.#configured = new Configured(vitest)
    }

    async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
      return this.#configured.shard(files)
    }

    async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
      const sorted = await this.#configured.sort(files)
      return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))]
    }
  }
}
