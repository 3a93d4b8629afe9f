"""Carries a transaction to its end that a killed process left in the middle."""

from gitmem.storage.directory import opened_directory
from gitmem.store.apply import carry_on, under_construction
from gitmem.store.forgetting import carry_forgetting_on
from gitmem.store.place import StorePlace
from gitmem.store.recording import record_state
from gitmem.store.transaction import sweep


def recover(place: StorePlace) -> bool:
    """Finish the pending transaction, if there is one; return whether there was. The caller holds the writer's lock.

    Without a store directory nothing can be carried out: the record waits until there is one again.
    Raises JournalDamagedError.
    """
    record = place.journal.pending()
    if record is None:
        return False
    if record.forget:
        carry_forgetting_on(place, record)
        return True
    with opened_directory(place.root, place.path) as directory:
        if directory is None:
            return False
        sweep(place, directory)
        with under_construction(directory, record.steps) as temporaries:
            carry_on(directory, record.steps, temporaries)
    if place.recorded:
        record_state(place, record.message, record.commit, record.tip)
    place.journal.finish()
    return True
