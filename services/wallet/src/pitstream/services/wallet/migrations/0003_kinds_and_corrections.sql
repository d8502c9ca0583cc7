-- Every kind of account with its currency's scale, transfers that undo others, and a Pot that is empty at every commit.

-- One scale for a currency, once and for all: what an amount means never changes.
CREATE TABLE currencies (
    currency TEXT     NOT NULL CONSTRAINT currencies_once PRIMARY KEY,
    scale    SMALLINT NOT NULL,
    CONSTRAINT currencies_name CHECK (currency ~ '^[A-Z]{3}$'),
    CONSTRAINT currencies_scale CHECK (scale BETWEEN 0 AND 8),
    CONSTRAINT currencies_of_accounts UNIQUE (currency, scale)
);
CREATE TRIGGER currencies_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON currencies
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_edit('currencies_append_only');

-- ISO 4217's active currencies; one that is not among them and has accounts from before has two decimal places.
INSERT INTO currencies (currency, scale)
SELECT currency, scale FROM (VALUES
    (0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
    (2, 'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD
         CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD
         GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA
         MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR
         RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD
         TZS UAH USD USN UYU UZS VED VES WST XCD YER ZAR ZMW ZWG'),
    (3, 'BHD IQD JOD KWD LYD OMR TND'),
    (4, 'CLF UYW')
) AS iso (scale, currencies), regexp_split_to_table(currencies, '\s+') AS currency;
INSERT INTO currencies (currency, scale) SELECT DISTINCT currency, 2 FROM accounts
ON CONFLICT ON CONSTRAINT currencies_once DO NOTHING;

ALTER TABLE accounts DISABLE TRIGGER accounts_moved_by_transfers;
ALTER TABLE accounts ADD COLUMN scale SMALLINT;
UPDATE accounts SET scale = currencies.scale FROM currencies WHERE currencies.currency = accounts.currency;
ALTER TABLE accounts ALTER COLUMN scale SET NOT NULL;
ALTER TABLE accounts ENABLE TRIGGER accounts_moved_by_transfers;

ALTER TABLE accounts
    DROP CONSTRAINT accounts_kind,
    DROP CONSTRAINT accounts_available,
    ADD CONSTRAINT accounts_scale FOREIGN KEY (currency, scale) REFERENCES currencies (currency, scale),
    ADD CONSTRAINT accounts_kind CHECK (
        kind IN ('player', 'table', 'pot', 'meter', 'reserve', 'overflow', 'transit', 'handpay', 'payable', 'house',
                 'operator', 'suspense', 'cash')
    ),
    -- A player spends only what is there, held money included; nobody is paid what was not put aside for it before.
    ADD CONSTRAINT accounts_available CHECK (
        kind NOT IN ('player', 'pot', 'handpay', 'payable', 'suspense')
        OR credits_posted - debits_posted - debits_pending >= 0
    );

-- The players' own money of one round goes out in the transaction in which it came in.
CREATE FUNCTION refuse_full_pot() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT FROM accounts WHERE account = NEW.account AND credits_posted <> debits_posted) THEN
        RAISE EXCEPTION '%: what the players put in is not what they took out', NEW.account
            USING ERRCODE = 'check_violation', CONSTRAINT = 'accounts_pot_empty';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER accounts_pot_empty AFTER UPDATE ON accounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.kind = 'pot' AND NEW.credits_posted <> NEW.debits_posted)
    EXECUTE FUNCTION refuse_full_pot();

-- A transfer is undone once, by its mirror image; an undoing is not undone.
ALTER TABLE transfers ADD COLUMN reverses UUID CONSTRAINT transfers_reverses REFERENCES transfers (transfer_id);
CREATE UNIQUE INDEX transfers_reversed_once ON transfers (reverses) WHERE reverses IS NOT NULL;
CREATE FUNCTION refuse_other_than_mirror() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM transfers AS undone
        WHERE undone.transfer_id = NEW.reverses AND undone.reverses IS NULL
          AND (undone.debit, undone.credit, undone.amount) = (NEW.credit, NEW.debit, NEW.amount)
    ) THEN
        RAISE EXCEPTION '%: is not the mirror image of %, or that one undid another', NEW.transfer_id, NEW.reverses
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfers_mirror';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER transfers_mirror BEFORE INSERT ON transfers FOR EACH ROW
    WHEN (NEW.reverses IS NOT NULL) EXECUTE FUNCTION refuse_other_than_mirror();
