/** What a command gives to the daemon that has the state, and waits for. Orders and reports are stored as they are. */
export interface Orders {
  /** Gives an order. What is long over is forgotten. */
  give(order: NewOrder): Promise<OrderNumber>;
  /** Whether there is one to take. */
  areWaiting(now: number): Promise<boolean>;
  /** The oldest one that nobody has taken, and that is not too old: it is taken by this, once. */
  take(who: string, now: number): Promise<GivenOrder | undefined>;
  /** undefined where it is not known (any more). */
  find(number: OrderNumber): Promise<OrderState | undefined>;
}

export type OrderNumber = number & { readonly __order: true };

export interface NewOrder {
  /** Epoch ms. */
  readonly at: number;
  /** Nobody takes it later. */
  readonly until: number;
  /** `sync, process 12 on host box`. */
  readonly who: string;
  readonly order: object;
}

export interface GivenOrder extends NewOrder {
  readonly number: OrderNumber;
}

/** How far an order is. */
export interface OrderState {
  /** undefined while nobody has taken it. */
  readonly takenBy: string | undefined;
  /** How far the run is, where it takes long. */
  readonly progress: unknown;
  /** What came of it; undefined until then. */
  readonly outcome: unknown;
}

export type OrderChange =
  | { readonly kind: "note-progress"; readonly order: OrderNumber; readonly progress: object }
  | { readonly kind: "end-order"; readonly order: OrderNumber; readonly outcome: object }
  /** Nobody waits for it any more: it is not taken. One that was taken goes on. */
  | { readonly kind: "withdraw-order"; readonly order: OrderNumber }
  /** Ends those that were taken by others than these: whoever took them lives no more. */
  | {
      readonly kind: "end-orphans";
      readonly living: readonly string[];
      readonly outcome: object;
    };
